# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A match of Echo VR
#
# This notebook asks where in the arena a match is played, and how fast the disc and the players
# move. Then it follows the disc through one pass.
#
# It opens the match that `gametape demo` makes. That match is invented: nobody played it, and its
# pictures show what can be drawn, not how people play. Set `MATCH` to a recording of your own; a
# `.butter` does as well as an `.echoreplay`.

# %%
import os
from pathlib import Path

import gametape
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

DEMO = Path(os.environ.get("GAMETAPE_DEMO", "demo-recordings"))
MATCH = DEMO / "match.echoreplay"

BLUE, ORANGE, DISC = "#0072B2", "#E69F00", "#000000"
plt.rcParams.update({"figure.dpi": 150, "figure.constrained_layout.use": True, "font.size": 9})

# %%
match = gametape.open(MATCH)
game = pl.DataFrame(match.table("game", columns=["step", "time_ms", "status"]))
velocity = ["velocity_x", "velocity_y", "velocity_z"]
columns = ["step", "time_ms", "x", "y", "z", *velocity]
disc = pl.DataFrame(match.table("disc", columns=columns))
columns = ["step", "time_ms", "ended", "name", "team", "possession"]
columns += ["body_x", "body_y", "body_z", *velocity]
players = pl.DataFrame(match.table("players", columns=columns)).filter(~pl.col("ended"))
players.group_by("team", "name").agg(
    (pl.len() / len(game)).round(2).alias("share of the frames")
).sort("team", "name")

# %% [markdown]
# ## Where the match is played
#
# The arena from above: the long axis is z, from one goal to the other. Only frames in which the
# match is `playing` count. Each one counts for the time until the next, so a recording that skips
# frames gives the same picture. Squares of one metre; brighter is longer.

# %%
frames = game.with_columns(stay_s=pl.col("time_ms").diff().shift(-1).fill_null(0) / 1000)
frames = frames.filter(pl.col("status") == "playing").select("step", "stay_s")

places = {"the disc": disc}
for team in ["blue", "orange"]:
    of = players.filter(pl.col("team") == team)
    places[f"players of {team}"] = of.select("step", x="body_x", z="body_z")

edges = np.arange(-40, 41), np.arange(-16, 17)
maps = {}
for name, rows in places.items():
    rows = rows.join(frames, on="step")
    maps[name], *_ = np.histogram2d(
        rows["x"], rows["z"], bins=edges[::-1], weights=rows["stay_s"]
    )

# %%
fig, axes = plt.subplots(3, figsize=(8, 9), sharex=True, sharey=True)
for ax, (name, seconds) in zip(axes, maps.items()):
    image = ax.pcolormesh(*edges, np.sqrt(seconds), cmap="magma", vmin=0)
    bar = fig.colorbar(image, ax=ax, label="time (s per m²)")
    ticks = np.array([0, 0.25, 0.5, 0.75, 1]) * np.sqrt(seconds.max())
    bar.set_ticks(list(ticks), labels=[f"{tick**2:.1f}" for tick in ticks])
    ax.set(ylabel="x (m)", title=name, aspect="equal")
axes[-1].set_xlabel("z (m)")
plt.show()

# %% [markdown]
# The colours follow the square root of the time: a disc that waits in the middle for a round to
# begin would otherwise outshine all else.
#
# ## Speeds
#
# The speed of the disc, and the mean speed of each team, smoothed over a second. Grey is where the
# match is not `playing`. A triangle is a throw as the game measures it, with its own speed; a line
# is a goal.

# %%
speed = pl.sum_horizontal(pl.col(velocity) ** 2).sqrt()
teams = (
    players.filter(pl.col("team").is_in(["blue", "orange"]))
    .group_by("time_ms", "team")
    .agg(speed=speed.mean())
    .sort("time_ms")
)
teams = teams.with_columns(pl.col("speed").rolling_mean(15, center=True).over("team"))

throws = pl.DataFrame(match.table("throws", columns=["time_ms", "total_speed"]))
goals = pl.DataFrame(match.table("goals", columns=["time_ms", "team", "points"]))

# %%
fig, (above, below) = plt.subplots(2, figsize=(8, 5), sharex=True)

above.plot(
    disc["time_ms"] / 1000,
    disc.select(speed).to_series(),
    color=DISC,
    linewidth=0.8,
    label="disc",
)
above.plot(
    throws["time_ms"] / 1000,
    throws["total_speed"],
    "v",
    color="#CC79A7",
    markersize=5,
    label="throw",
)
for name, color in {"blue": BLUE, "orange": ORANGE}.items():
    team = teams.filter(pl.col("team") == name)
    below.plot(team["time_ms"] / 1000, team["speed"], color=color, label=name)

time = game["time_ms"].to_numpy() / 1000
for ax in (above, below):
    ax.fill_between(
        time,
        0,
        1,
        where=(game["status"] != "playing").to_numpy(),
        transform=ax.get_xaxis_transform(),
        color="0.9",
        zorder=0,
    )
    for at in goals["time_ms"] / 1000:
        ax.axvline(at, color="#009E73", linewidth=2, label="goal")
    ax.set(ylim=(0, 1.25 * ax.get_ylim()[1]), xlim=(0, time[-1]))
    ax.legend(loc="upper left", ncols=3, frameon=False)
above.set(ylabel="speed of the disc (m/s)")
below.set(ylabel="mean speed of a team (m/s)", xlabel="time (s)")
plt.show()

# %% [markdown]
# ## A pass
#
# A player possesses the disc until another one does. Where two of one team follow each other, it
# was a pass: the newest throw before the change is its start. The picture takes the longest pass
# that was caught within five seconds, and 0.7 seconds before and after it: from above, where a dot
# is a frame and a ring the first one, and as the distance of both players from the disc. The disc
# may bounce off a wall on its way.

# %%
holder = players.filter(pl.col("possession")).sort("step")
holder = holder.with_columns(
    hold=(pl.col("name") != pl.col("name").shift()).fill_null(True).cum_sum()
)
holds = holder.group_by("hold", maintain_order=True).agg(
    pl.first("name", "team"), start_ms=pl.first("time_ms")
)
passes = holds.with_columns(thrower=pl.col("name").shift(), before=pl.col("team").shift()).filter(
    pl.col("team") == pl.col("before")
)
passes = passes.sort("start_ms").join_asof(
    throws.select(thrown_ms="time_ms"), left_on="start_ms", right_on="thrown_ms"
)
passes = passes.with_columns(flight_s=(pl.col("start_ms") - pl.col("thrown_ms")) / 1000)
passes.select("thrower", "name", "team", thrown_s=pl.col("thrown_ms") / 1000, flight_s="flight_s")

# %%
one = passes.filter(pl.col("flight_s") < 5).sort("flight_s").row(-1, named=True)
start, end = one["thrown_ms"] - 700, one["start_ms"] + 700
moment = pl.col("time_ms").is_between(start, end)
ways = {"disc": disc.filter(moment).select("time_ms", "x", "y", "z")}
for name in [one["thrower"], one["name"]]:
    way = players.filter(moment, pl.col("name") == name)
    ways[name] = way.select("time_ms", x="body_x", y="body_y", z="body_z")

# %%
fig, (above, below) = plt.subplots(1, 2, figsize=(8, 4))
colors = [DISC, BLUE if one["team"] == "blue" else ORANGE, "#CC79A7"]
labels = ["disc", f"{one['thrower']} throws", f"{one['name']} catches"]

for (name, way), color, label in zip(ways.items(), colors, labels):
    above.plot(way["z"], way["x"], ".-", color=color, linewidth=1, markersize=4, label=label)
    above.plot(way["z"][0], way["x"][0], "o", color=color, fillstyle="none", markersize=8)
    if name != "disc":
        both = way.join(ways["disc"], on="time_ms", suffix="_disc")
        apart = sum((both[axis] - both[f"{axis}_disc"]) ** 2 for axis in "xyz") ** 0.5
        below.plot(
            (both["time_ms"] - one["thrown_ms"]) / 1000, apart, ".-", color=color, markersize=4
        )
above.set(
    xlabel="z (m)",
    ylabel="x (m)",
    aspect="equal",
    title=f"from above, {start / 1000:.1f} to {end / 1000:.1f} s",
)
fig.legend(*above.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)

below.axvline(0, color="0.6", linestyle="--")
below.axvline(one["flight_s"], color="0.6", linestyle=":")
below.text(0, 1, " throw", va="top", color="0.4", transform=below.get_xaxis_transform())
below.text(
    one["flight_s"], 1, " catch", va="top", color="0.4", transform=below.get_xaxis_transform()
)
below.set(
    xlabel="time since the throw (s)",
    ylabel="body to disc (m)",
    ylim=(0, 1.1 * below.get_ylim()[1]),
)
plt.show()
