"""What `Env.step` adds to the engine's own time on a world of 240 cells, and how `VectorEnv` and `sweep` use cores.

python bench/worlds.py [FORAGING.toml]; the package has to be built for release: maturin develop --release, in bindings/python.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gametape

WORLD = Path(__file__).parents[1] / "crates/samples/worlds/foraging.toml"
TICKS = 2000
ROUNDS = 7


def per_tick(work: Callable[[], object], ticks: int = TICKS) -> float:
    """The median time of a tick, in microseconds."""
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) / ticks * 1e6)
    return statistics.median(took)


def main() -> None:
    text = Path(sys.argv[1] if len(sys.argv) > 1 else WORLD).read_text()
    world = gametape.World.from_toml(text)
    command = {"field": "sheep", "coord": [3, 4], "value": 1}
    listed = [command | {"tick": tick} for tick in range(1, TICKS + 1)]

    def engine() -> None:
        run.go_on(TICKS, [line | {"tick": run.tick + line["tick"]} for line in listed] if commands else None)

    def steps(env: gametape.Env) -> None:
        env.reset()
        action = [command] if commands else None
        for _ in range(TICKS):
            env.step(action)

    all_fields = [field.name for field in world.fields]
    for commands in [False, True]:
        # The engine alone: many ticks in one call. With commands, their conversion is within.
        run = world.run(ticks=0)
        own = per_tick(engine)
        print(f"engine/{'a command' if commands else 'no command'} ours={own:.1f}")
        for watch in [["grass"], all_fields]:
            env = gametape.Env(world, watch)
            took = per_tick(lambda: steps(env))
            print(f"Env.step/{'a command' if commands else 'no command'}/{len(watch)} arrays ours={took:.1f} more={took - own:.1f}")
    print(f"cores={os.cpu_count()} RAYON_NUM_THREADS={os.environ.get('RAYON_NUM_THREADS', '')}")
    for n in [1, 8, 64]:
        envs = gametape.VectorEnv(world, n, ["grass"])
        none: list[list[dict[str, object]]] = [[]] * n
        envs.reset()
        took = per_tick(lambda: [envs.step(none) for _ in range(TICKS // n)], TICKS // n * n)
        print(f"VectorEnv.step/{n} ours={took:.1f}, per copy")
    took = per_tick(lambda: gametape.sweep(world, seeds=range(16), ticks=TICKS // 16), TICKS)
    print(f"sweep/16 seeds ours={took:.1f}, per tick")


if __name__ == "__main__":
    main()
