# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A game of Minesweeper
#
# This notebook asks where on the board a player's time goes, and how fast the board is solved. Then
# it sets many games beside one another: do the fast ones need fewer clicks?
#
# It opens recordings that `gametape demo` makes: a bot plays them, so that the pictures show how a
# bot plays. Set `DEMO` to a folder of your own games to see yours.

# %%
import os
from pathlib import Path

import gametape
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

DEMO = Path(os.environ.get("GAMETAPE_DEMO", "demo-recordings"))
GAME = DEMO / "expert-win.rmv"

plt.rcParams.update({"figure.dpi": 150, "figure.constrained_layout.use": True, "font.size": 9})

# %%
game = gametape.open(GAME)
facts = pl.DataFrame(game.table("game")).row(0, named=True)
shape, cell = (facts["board_rows"], facts["board_cols"]), facts["cell_size"]
print(f"{facts['level']}, {facts['outcome']}, {facts['total_time_ms']} ms, 3BV {facts['bbbv']}")

# %% [markdown]
# ## Where the mouse is
#
# Each row of `cursor` holds until the next one, so a row counts for the time between the two. The
# upper picture adds these times up in each cell. The lower one draws the way of the mouse, later
# parts in lighter colours, over the mines; a dot is a press of the left button, a ring one of the
# right button.

# %%
cursor = pl.DataFrame(game.table("cursor", columns=["time_ms", "x", "y", "col", "row"]))
cursor = cursor.with_columns(stay_ms=pl.col("time_ms").diff().shift(-1).fill_null(0))
stays = cursor.drop_nulls(["col", "row"]).group_by("row", "col").agg(pl.col("stay_ms").sum())

dwell = np.zeros(shape)
dwell[stays["row"], stays["col"]] = stays["stay_ms"]

mines = pl.DataFrame(game.table("mines"))
events = pl.DataFrame(game.table("mouse_events", columns=["action", "x", "y"]))
left, right = (events.filter(pl.col("action") == button) for button in ["lmb_down", "rmb_down"])

# %%
fig, (above, below) = plt.subplots(2, figsize=(8, 7.6), sharex=True, sharey=True)

image = above.imshow(dwell, cmap="cividis", extent=(0, shape[1], shape[0], 0))
fig.colorbar(image, ax=above, shrink=0.9, label="time of the mouse in the cell (ms)")

line = below.scatter(
    cursor["x"] / cell, cursor["y"] / cell, c=cursor["time_ms"] / 1000, s=2, cmap="viridis"
)
below.plot(
    mines["col"] + 0.5, mines["row"] + 0.5, "x", color="0.8", markersize=8, zorder=0, label="mine"
)
below.plot(
    left["x"] / cell, left["y"] / cell, ".", color="black", markersize=4, label="left button"
)
below.plot(
    right["x"] / cell,
    right["y"] / cell,
    "o",
    color="#D55E00",
    fillstyle="none",
    markersize=6,
    label="right button",
)
fig.colorbar(line, ax=below, shrink=0.9, label="time (s)")
below.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)

for ax in (above, below):
    ax.set(ylabel="row (cells)", xlim=(0, shape[1]), ylim=(shape[0], 0), aspect="equal")
    ax.set_xticks(range(shape[1] + 1), minor=True)
    ax.set_yticks(range(shape[0] + 1), minor=True)
    ax.grid(which="minor", color="white" if ax is above else "0.92", linewidth=0.4, zorder=-1)
    ax.tick_params(which="minor", length=0)
below.set_xlabel("column (cells)")
plt.show()

# %% [markdown]
# ## Pace
#
# The 3BV of a board is the fewest left clicks that solve it. `counters` says how much of it is
# solved; here it is a curve over time, beside the straight line of a player who solves as much in
# each second. Below is the pace itself: 3BV solved in the last three seconds, at the start in as
# many as there are. A flat piece is where the player thinks, or sets flags.

# %%
counters = pl.DataFrame(game.table("counters", columns=["time_ms", "solved_bbbv"]))
time, solved = counters["time_ms"].to_numpy() / 1000, counters["solved_bbbv"].to_numpy()

at = np.arange(0, time[-1], 0.1)
done = solved[np.searchsorted(time, at, side="right") - 1]
before = solved[np.searchsorted(time, np.maximum(at - 3, 0), side="right") - 1]
pace = (done - before) / np.minimum(at, 3).clip(1)

# %%
fig, (above, below) = plt.subplots(2, figsize=(8, 5), sharex=True, height_ratios=[2, 1])

above.step(time, solved, where="post", color="#0072B2", label="solved")
above.plot(
    [0, time[-1]],
    [0, solved[-1]],
    "--",
    color="0.5",
    label=f"{solved[-1] / time[-1]:.2f} 3BV/s throughout",
)
above.set(ylabel="solved 3BV", ylim=0)
above.legend(loc="upper left", frameon=False)

below.plot(at, pace, color="#0072B2")
below.axhline(solved[-1] / time[-1], linestyle="--", color="0.5")
below.set(xlabel="time (s)", ylabel="pace over 3 s (3BV/s)", ylim=0, xlim=(0, time[-1]))
plt.show()

# %% [markdown]
# ## Many games
#
# `scan` reads one table of many recordings as one; `game` has the statistics that players compare.
# The demo also has games that somebody tampered with: those whose audit fails are left out. The
# index of efficiency (`ioe`) is 3BV earned a click: it can be above 1, since one chord may open
# many cells. Time tells little between boards of different size, hence the second picture: 3BV a
# second. There both rise together: this bot is fast where it wastes few clicks. Each dot is a game
# that was won, and larger dots are boards of more 3BV.

# %%
paths = [
    path for path in sorted(DEMO.glob("*.rmv")) if gametape.open(path).audit().verdict != "fail"
]
columns = ["level", "outcome", "total_time_ms", "bbbv", "bbbv_per_s", "ioe"]
games = pl.DataFrame(gametape.scan(paths, "game", columns))
wins = games.filter(pl.col("outcome") == "win", pl.col("bbbv") > 1).with_columns(
    time_s=pl.col("total_time_ms") / 1000
)
wins.group_by("level").agg(
    pl.len().alias("games"), pl.mean("time_s", "bbbv", "bbbv_per_s", "ioe").round(2)
).sort("time_s")

# %%
levels = {
    "beginner": "#56B4E9",
    "intermediate": "#009E73",
    "expert": "#D55E00",
    "custom": "#999999",
}
fig, axes = plt.subplots(1, 2, figsize=(8, 3.8), sharey=True)

for level, color in levels.items():
    of = wins.filter(pl.col("level") == level)
    for ax, x in zip(axes, ["time_s", "bbbv_per_s"]):
        ax.scatter(
            of[x],
            of["ioe"],
            s=10 + of["bbbv"],
            color=color,
            alpha=0.75,
            edgecolor="white",
            label=level,
        )

axes[0].set(xscale="log", xlabel="time (s)", ylabel="index of efficiency (3BV a click)")
axes[0].set_xticks([2, 5, 10, 20, 50], labels=["2", "5", "10", "20", "50"])
axes[0].minorticks_off()
axes[1].set(xlabel="speed (3BV/s)")
for ax in axes:
    ax.axhline(1, color="0.7", linewidth=0.8, zorder=0)
legend = fig.legend(
    *axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False
)
for handle in legend.legend_handles:
    handle.set_sizes([40])
plt.show()
