//! What holds for a whole recording.

use gametape_core::table::{Fact, FactTable, Kind};

use Kind::{Float64, Text, Uint};

/// The header and what its people measure.
pub(in crate::tape) const RUN: FactTable = FactTable {
    name: "run",
    doc: "The run: what its header says, and how many ticks and commands there are.",
    facts: &[
        Fact::new(
            "build_toolchain",
            Text,
            "The compiler that built the recorder.",
        ),
        Fact::new(
            "build_target_triple",
            Text,
            "What the recorder was built for.",
        ),
        Fact::new("build_murk_version", Text, "The version of Murk."),
        Fact::new(
            "build_compile_flags",
            Text,
            "The flags that the recorder was built with.",
        ),
        Fact::new("seed", Uint, "The seed of the world."),
        Fact::new(
            "config_hash",
            Text,
            "The hash of the world's configuration, 16 hexadecimal digits.",
        ),
        Fact::new("fields", Uint, "Fields of the world."),
        Fact::new("cells", Uint, "Cells of the world."),
        Fact::new(
            "space_descriptor",
            Text,
            "What the recording says of its space.",
        ),
        Fact::new("ticks", Uint, "Ticks that were recorded."),
        Fact::new("first_tick", Uint, "The first of them."),
        Fact::new("last_tick", Uint, "The last of them."),
        Fact::new("seconds", Float64, "How long they took in the world.").unit("s"),
        Fact::new("commands", Uint, "Commands of all ticks."),
        Fact::new("commands_per_tick", Float64, "Commands a tick."),
        Fact::new(
            "commands_per_second",
            Float64,
            "Commands a second of the world.",
        )
        .unit("1/s"),
        Fact::new(
            "max_commands_in_a_tick",
            Uint,
            "The most commands of one tick.",
        ),
        Fact::new("idle_ticks", Uint, "Ticks without commands."),
        Fact::new("kinds_move", Uint, "Commands that move an entity."),
        Fact::new(
            "kinds_spawn",
            Uint,
            "Commands that put an entity into the world.",
        ),
        Fact::new(
            "kinds_despawn",
            Uint,
            "Commands that take an entity out of the world.",
        ),
        Fact::new(
            "kinds_set_field",
            Uint,
            "Commands that set a value in a cell.",
        ),
        Fact::new("kinds_custom", Uint, "Commands of the recorder's own."),
        Fact::new(
            "kinds_set_parameter",
            Uint,
            "Commands that set a parameter.",
        ),
        Fact::new(
            "kinds_set_parameter_batch",
            Uint,
            "Commands that set several parameters.",
        ),
        Fact::new(
            "unreadable",
            Uint,
            "Commands whose payload has no typed form.",
        ),
        Fact::new("anonymous", Uint, "Commands without a source."),
        Fact::new(
            "other_sources",
            Uint,
            "Commands of sources that are not counted one by one.",
        ),
        Fact::new("expiring", Uint, "Commands that expire at all."),
        Fact::new(
            "expired",
            Uint,
            "Commands that had expired when they were submitted.",
        ),
        Fact::new("payload_bytes", Uint, "The size of all payloads.").unit("bytes"),
    ],
};
