# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A stream that loses packets
#
# This notebook asks what the bits of a snapshot/delta stream are spent on, and what a lost packet
# costs. It reads a capture of what arrives: the packets themselves, and what each bit of them is
# for.
#
# `gametape demo` makes the capture: an arena of 300 ships at 30 Hz, over a network that loses a
# tenth of the packets. Set `CAPTURE` to one of your own. Its components and their names come from
# its schema.

# %%
import os
from pathlib import Path

import gametape
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

DEMO = Path(os.environ.get("GAMETAPE_DEMO", "demo-recordings"))
CAPTURE = DEMO / "arena.mcap"

plt.rcParams.update({"figure.dpi": 150, "figure.constrained_layout.use": True, "font.size": 9})

# %%
capture = gametape.open(CAPTURE)
packets = pl.DataFrame(capture.table("packets")).with_columns(
    time_s=pl.col("time_ms") / 1000,
    lost=(pl.col("tick").diff() - 1).fill_null(0),
)
print(f"{len(packets)} packets arrived, {packets['lost'].sum()} did not")

# %% [markdown]
# ## Bandwidth by component
#
# `parts` names the purpose of each run of bits: the values of a component, the id of an entity and
# the mask that says which components it has, or the frame around them. The bits of all parts of a
# packet add up to its bytes. Grey bars are packets that did not arrive, seen as gaps in the ticks:
# their bytes were sent, too, but nobody can say what was in them. In this arena nothing moves after
# 20 s.

# %%
purpose = pl.when(pl.col("part") == "component").then(pl.col("component"))
purpose = (
    purpose.when(pl.col("part") == "entity")
    .then(pl.lit("ids and masks"))
    .otherwise(pl.lit("header, framing, padding"))
)
parts = pl.DataFrame(
    capture.table("parts", columns=["step", "time_ms", "part", "section", "component", "bits"])
)
parts = parts.with_columns(purpose=purpose, second=(pl.col("time_ms") / 1000).floor())

assert parts["bits"].sum() == packets["bytes"].sum() * 8

by_second = parts.group_by("second", "purpose").agg(kB=pl.col("bits").sum() / 8 / 1000)
by_second = by_second.pivot("purpose", index="second", values="kB").sort("second").fill_null(0)
losses = (
    packets.group_by(second=pl.col("time_s").floor()).agg(pl.col("lost").sum()).sort("second")
)
order = sorted(by_second.columns[1:], key=lambda name: -by_second[name].sum())

# %%
fig, (above, below) = plt.subplots(2, figsize=(8, 5), sharex=True, height_ratios=[3, 1])
colors = ["#0072B2", "#56B4E9", "#E69F00", "#999999", "#009E73", "#CC79A7"]
# The last second is cut off by the end of the recording.
whole = by_second[:-1]
bottom = np.zeros(len(whole))
for name, color in zip(order, colors):
    above.bar(
        whole["second"] + 0.5, whole[name], bottom=bottom, width=0.9, color=color, label=name
    )
    bottom += whole[name].to_numpy()
above.set(ylabel="arrived (kB/s)", ylim=(0, bottom.max() * 1.25))
above.legend(ncols=4, frameon=False, loc="upper center")
below.bar(losses["second"][:-1] + 0.5, losses["lost"][:-1], width=0.9, color="0.6")
below.set_yticks(range(0, losses["lost"].max() + 1, 4))
below.set(ylabel="lost (packets/s)", xlabel="time (s)", xlim=(0, len(whole)))
plt.show()

# %% [markdown]
# ## After a loss
#
# A delta builds on the newest state that the receiver has confirmed. After a loss that state is
# older, and more has changed since. Where packets have a fixed budget, as here, a loss shows less
# in their size than in what had to wait. The left picture sets the sizes of packets that follow a
# loss beside those that do not; the right one says after what time a ship that is updated gets its
# next update.

# %%
busy = packets.filter(pl.col("bytes") > 200, pl.col("kind") == "delta")
sizes = {
    "none": busy.filter(pl.col("lost") == 0)["bytes"],
    "one or more": busy.filter(pl.col("lost") > 0)["bytes"],
}

ships = pl.DataFrame(
    capture.table("ship", columns=["step", "time_ms", "ended", "entity"])
).filter(~pl.col("ended"))
ships = ships.join(packets.select("step", "lost"), on="step").sort("entity", "step")
ships = ships.with_columns(wait_s=(pl.col("time_ms").diff().over("entity") / 1000)).drop_nulls(
    "wait_s"
)

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6))
bins = np.arange(1000, 1221, 20)
for (label, size), color in zip(sizes.items(), ["#0072B2", "#D55E00"]):
    left.hist(
        size,
        bins=bins,
        weights=np.full(len(size), 100 / len(size)),
        histtype="step",
        color=color,
        label=f"{label} ({len(size)} packets)",
    )
left.set(xlabel="size of a packet (bytes)", ylabel="share of the packets (%)")
left.legend(title="lost just before it", loc="upper left", frameon=False)
left.set_ylim(0, 1.4 * left.get_ylim()[1])

for (label, of), color in zip(
    {
        "none": ships.filter(pl.col("lost") == 0),
        "one or more": ships.filter(pl.col("lost") > 0),
    }.items(),
    ["#0072B2", "#D55E00"],
):
    waits = np.sort(of["wait_s"].to_numpy())
    right.plot(waits, np.linspace(0, 100, len(waits)), color=color, label=label)
right.set(
    xlabel="time since the ship's last update (s)",
    ylabel="updates that came by then (%)",
    xlim=(0, 0.6),
    ylim=(0, 100),
)
right.legend(title="lost just before it", loc="lower right", frameon=False)
plt.show()
