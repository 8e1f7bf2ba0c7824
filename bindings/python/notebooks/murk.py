# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A Murk world
#
# This notebook asks how a world looks while it runs, and how far a small difference reaches. It
# needs no recording: the worlds run in Python.

# %%
from typing import Any

import gametape
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.animation import FuncAnimation, PillowWriter

plt.rcParams.update({"figure.dpi": 150, "figure.constrained_layout.use": True, "font.size": 9})

# %% [markdown]
# ## A pasture
#
# Sheep eat the grass of their cell, and grass grows back. Commands put the sheep (1) into cells and
# take them away (0): here twelve sheep walk at random, and each move is two commands. All fields of
# a world start as zeros, so the pasture is bare at first.

# %%
pasture = gametape.World.from_toml("""
dt = 0.25

[space]
kind = "square4"
rows = 24
cols = 40
edge = "wrap"

[[field]]
name = "sheep"
type = "categorical"
n_values = 2
mutability = "sparse"

[[field]]
name = "grass"
type = "scalar"
mutability = "per_tick"

[[propagator]]
kind = "resource_field"
field = "grass"
presence_field = "sheep"
consumption_rate = 2.0
regrowth_rate = 0.05
""")


def put(tick: int, cell: list[int], value: int) -> dict[str, Any]:
    return {"tick": tick, "field": "sheep", "coord": cell, "value": value}


TICKS, FLOCK = 200, 12
random = np.random.default_rng(1)
cells = random.integers(pasture.shape, size=(FLOCK, 2))
commands = []
for tick in range(1, TICKS + 1):
    moved = (cells + random.integers(-1, 2, size=cells.shape)) % pasture.shape
    commands += [put(tick, cell, 0) for cell in cells.tolist()]
    commands += [put(tick, cell, 1) for cell in moved.tolist()]
    cells = moved

# %% [markdown]
# `run` gives the state after some ticks, and `go_on` makes more. Each call takes the commands of
# its own ticks, and refuses others.

# %%
EVERY = 8
run = pasture.run(0)
seen = [run.state]
for start in range(1, TICKS + 1, EVERY):
    run.go_on(EVERY, [of for of in commands if start <= of["tick"] < start + EVERY])
    seen.append(run.state)

# %%
fig, axes = plt.subplots(2, 2, figsize=(8, 5), sharex=True, sharey=True)
for ax, number in zip(axes.flat, [1, 5, 12, 25]):
    image = ax.imshow(seen[number]["grass"], cmap="YlGn", vmin=0, vmax=1)
    row, col = np.nonzero(seen[number]["sheep"])
    ax.plot(col, row, "o", color="#CC79A7", markeredgecolor="black", markersize=4)
    ax.set_title(f"tick {number * EVERY}, {number * EVERY * 0.25:.0f} s")
fig.supxlabel("column (cells)")
fig.supylabel("row (cells)")
fig.colorbar(image, ax=axes, label="grass (0 to 1)")
plt.show()

# %% [markdown]
# ## The pasture, animated
#
# The same fifty seconds in five, a frame for every eight ticks.

# %%
fig, ax = plt.subplots(figsize=(6, 3.6), dpi=80)
image = ax.imshow(seen[0]["grass"], cmap="YlGn", vmin=0, vmax=1)
(sheep,) = ax.plot([], [], "o", color="#CC79A7", markeredgecolor="black", markersize=5)
ax.set(xlabel="column (cells)", ylabel="row (cells)")
fig.colorbar(image, ax=ax, label="grass (0 to 1)")


def draw(number: int) -> None:
    image.set_data(seen[number]["grass"])
    row, col = np.nonzero(seen[number]["sheep"])
    sheep.set_data(col, row)
    ax.set_title(f"tick {number * EVERY}")


# A layout for each frame would take most of the time.
fig.canvas.draw()
fig.set_layout_engine("none")
FuncAnimation(fig, draw, len(seen)).save("pasture.gif", PillowWriter(fps=5))
plt.close(fig)
Image("pasture.gif")

# %% [markdown]
# ## A divergence
#
# Two runs of a plate with two ovens differ in one number: one oven is a thousandth of a kelvin
# hotter. The left picture says after which tick a cell first differs in any bit: a difference moves
# by one cell a tick, however small it is, until it is too small for a 32-bit number. The right one
# says how large it is in the end.

# %%
ROWS, COLS = 30, 48
plate = gametape.World.from_dict(
    {
        "dt": 0.1,
        "space": {"kind": "square4", "rows": ROWS, "cols": COLS, "edge": "absorb"},
        "field": [
            {"name": "heat", "type": "scalar", "mutability": "per_tick", "units": "kelvin"}
        ],
        "propagator": [
            {
                "kind": "scalar_diffusion",
                "input_field": "heat",
                "output_field": "heat",
                "coefficient": 2.0,
                "max_degree": 4,
                "sources": [[8 * COLS + 12, 100.0], [20 * COLS + 36, 60.0]],
            }
        ],
    }
)
hotter = plate.set({"propagator.0.sources": [[8 * COLS + 12, 100.001], [20 * COLS + 36, 60.0]]})

one, other = plate.run(0), hotter.run(0)
first = np.full(plate.shape, np.nan)
for tick in range(1, 61):
    differs = one.go_on(1)["heat"] != other.go_on(1)["heat"]
    first[differs & np.isnan(first)] = tick
apart = np.abs(other["heat"] - one["heat"])
print(
    f"{np.isfinite(first).mean():.0%} of the cells have differed; {(apart > 0).mean():.0%} do at last"
)

# %%
fig, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
image = axes[0].imshow(first, cmap="viridis_r")
fig.colorbar(image, ax=axes[0], label="first tick that differs", location="bottom")
image = axes[1].imshow(np.where(apart > 0, apart, np.nan), cmap="magma", norm="log")
fig.colorbar(image, ax=axes[1], label="difference after 60 ticks (K)", location="bottom")
for ax in axes:
    ax.plot([12, 36], [8, 20], "s", color="white", markeredgecolor="black", markersize=5)
    ax.set(xlabel="column (cells)", facecolor="0.9")
axes[0].set_ylabel("row (cells)")
plt.show()

# %% [markdown]
# White squares are the ovens; grey cells never differ. A recording has hashes of states, not
# states: `verify` replays it, and names the first tick, field and cell that part, as far as the
# hash gives them away.

# %%
recording = plate.run(60, keep=True).recording
print("its own world:", plate.verify(recording).ok)
damaged = bytearray(recording)
damaged[-1] ^= 1
print(plate.verify(bytes(damaged)).divergence.message)
