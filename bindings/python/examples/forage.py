"""A sheep learns to graze: weights say what it thinks of the grass of a cell, and of staying where it is. Walking is tiring.

Sixteen sheep try out weights near the best ones so far, each in a world of its own; the one that ate the most is followed.
"""

import sys
from pathlib import Path

import gametape
import numpy as np
from numpy.typing import NDArray

WORLD = Path(__file__).parents[3] / "crates/samples/worlds/foraging.toml"
MOVES = np.array([(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)])
STAYS = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
TIRING = 0.06


def eaten(before: dict[str, NDArray[np.float32]], after: dict[str, NDArray[np.float32]]) -> float:
    return float(((before["grass"] - after["grass"]) * before["sheep"]).clip(0).sum())


def put(cell: NDArray[np.int64], sheep: int) -> dict[str, object]:
    return {"field": "sheep", "coord": cell, "value": sheep}


def graze(envs: gametape.VectorEnv, weights: NDArray[np.float64], ticks: int) -> NDArray[np.float64]:
    """Returns what sheep with these weights eat, less what walking costs them."""
    seen, _ = envs.reset()
    each, shape = np.arange(len(weights)), seen["grass"].shape[1:]
    cells, total = np.full((len(weights), 2), (6, 10)), np.zeros(len(weights))
    commands = [[put(cell, 1)] for cell in cells]
    for _ in range(ticks):
        seen, rewards, *_ = envs.step(commands)
        total += rewards
        around = (cells[:, None] + MOVES) % shape
        grass = seen["grass"][each[:, None], around[..., 0], around[..., 1]]
        thought = grass * weights[:, :1] + STAYS * weights[:, 1:]
        moves = thought.argmax(axis=1)
        total -= TIRING * (moves > 0)
        chosen = around[each, moves]
        commands = [[put(old, 0), put(new, 1)] for old, new in zip(cells, chosen)]
        cells = chosen
    return total


def learn(generations: int = 6, ticks: int = 150, world: Path = WORLD) -> list[float]:
    """How well the best sheep of each generation does; the first one has not learned anything."""
    random = np.random.default_rng(1)
    envs = gametape.VectorEnv(gametape.World.from_toml(world.read_text()), 16, ["sheep", "grass"], reward=eaten)
    best, meals = np.zeros(2), []
    for generation in range(generations):
        weights = best + random.normal(scale=0.3, size=(16, 2)) * (generation > 0)
        weights[0] = best
        total = graze(envs, weights, ticks)
        best = weights[total.argmax()]
        meals.append(float(total.max()))
        print(f"generation {generation}: {meals[-1]:.2f} with the weights {best.round(2).tolist()}")
    return meals


if __name__ == "__main__":
    learn(world=Path(sys.argv[1]) if len(sys.argv) > 1 else WORLD)
