"""The time that `Env.step` adds to the engine's own time on a world of 240 cells, and how `VectorEnv` and `sweep` use cores.

python bench/worlds.py [FORAGING.toml]; the package has to be built for release: maturin develop --release, in bindings/python.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gametape

WORLD = Path(__file__).parents[1] / "crates/samples/worlds/foraging.toml"
TICKS = 1000
ROUNDS = 9


def per_tick(*works: Callable[[], object], ticks: int = TICKS) -> list[float]:
    """The least time of a tick of each, in microseconds. They take turns, so that other programs disturb all of them."""
    least = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for at, work in enumerate(works):
            start = time.perf_counter()
            work()
            least[at] = min(least[at], (time.perf_counter() - start) / ticks * 1e6)
    return least


def main() -> None:
    text = Path(sys.argv[1] if len(sys.argv) > 1 else WORLD).read_text()
    world = gametape.World.from_toml(text)
    command = {"field": "sheep", "coord": [3, 4], "value": 1}
    ticks = range(1, TICKS + 1)

    def engine() -> None:
        run.go_on(TICKS, [command | {"tick": run.tick + tick} for tick in ticks] if commands else None)

    def steps(env: gametape.Env) -> None:
        env.reset()
        action = [command] if commands else None
        for _ in range(TICKS):
            env.step(action)

    all_fields = [field.name for field in world.fields]
    for commands in [False, True]:
        # The engine alone: many ticks in one call. With commands, their conversion is within.
        run = world.run(ticks=0)
        one, all_of_them = gametape.Env(world, ["grass"]), gametape.Env(world, all_fields)
        own, *with_env = per_tick(engine, lambda: steps(one), lambda: steps(all_of_them))
        what = "a command" if commands else "no command"
        print(f"engine/{what} ours={own:.1f}")
        for took, arrays in zip(with_env, ["1 array", f"{len(all_fields)} arrays"]):
            print(f"Env.step/{what}/{arrays} ours={took:.1f} more={took - own:.1f}")
    print(f"cores={os.cpu_count()} RAYON_NUM_THREADS={os.environ.get('RAYON_NUM_THREADS', '')}")
    for n in [1, 8, 64]:
        envs = gametape.VectorEnv(world, n, ["grass"])
        none: list[list[dict[str, object]]] = [[]] * n
        envs.reset()
        (took,) = per_tick(lambda: [envs.step(none) for _ in range(TICKS // n)], ticks=TICKS // n * n)
        print(f"VectorEnv.step/{n} ours={took:.1f}, per copy")
    (took,) = per_tick(lambda: gametape.sweep(world, seeds=range(16), ticks=TICKS // 16))
    print(f"sweep/16 seeds ours={took:.1f}, per tick")


if __name__ == "__main__":
    main()
