//! Looks at a recording: which view, when, and what of it.

use gametape::{Lane, Recording, TableDef};

use super::seen::Source;
use super::subject::{Drawn, Fault, Subject, shown};
use super::{at, over};
use crate::args::Picture as Args;
use crate::scene::views::{View, views};
use crate::ui::secrets;

/// Draws what is asked for.
pub fn look(recording: &Recording, args: &Args) -> Result<Drawn, Fault> {
    let mut source = Source::new(recording, secrets(args.show_secrets))?;
    let all = views(&source.tables);
    let (view, title) = choose(&all, &source, args)?;
    if source.is_empty() {
        let path = shown(&args.path);
        let nothing = || Fault::Said(format!("{path}: there is nothing in it to draw"));
        return Err(source.broken()?.map_or_else(nothing, Fault::from));
    }
    let info = recording.header(secrets(args.show_secrets));
    let format = match info {
        Ok(info) => format!("{} v{}", info.value.format, info.value.format_version),
        Err(_) => recording.format().name().to_owned(),
    };
    let path = std::path::Path::new(&args.path);
    let name = path.file_name().unwrap_or(path.as_os_str());
    let subject = Subject {
        args,
        view: &view,
        title,
        name: shown(name),
        format,
    };
    let mut drawn = match (&view, args.over) {
        (View::Grid(grid), None) => at::grid(&subject, grid, &mut source),
        (View::Map(map), None) => at::map(&subject, map, &mut source),
        (View::Grid(grid), Some(stretch)) => over::grid(&subject, grid, stretch, &mut source),
        (View::Map(map), Some(stretch)) => over::map(&subject, map, stretch, &mut source),
        _ => Err(subject.fault("that is no view that can be drawn")),
    }?;
    drawn.problem = source.problem;
    drawn.made = source.made;
    Ok(drawn)
}

/// The view that is meant, and what it is called; without a name the first that can be drawn. A table
/// that is on a map is drawn alone where it is named.
fn choose(all: &[View], source: &Source<'_>, args: &Args) -> Result<(View, String), Fault> {
    let path = shown(&args.path);
    let drawable = all.iter().flat_map(|view| {
        let alone = match view {
            View::Map(map) => map.as_slice(),
            _ => &[],
        };
        let alone = alone.iter().map(|points| {
            let view = View::Map(vec![points.clone()]);
            (view, points.table.clone())
        });
        let whole = matches!(view, View::Grid(_) | View::Map(_));
        let whole = whole.then(|| (view.clone(), view.name().to_owned()));
        whole.into_iter().chain(alone)
    });
    let drawable: Vec<(View, String)> = drawable.collect();
    let names: Vec<&str> = drawable.iter().map(|(_, name)| name.as_str()).collect();
    let names = names.join(", ");
    let wanted =
        |(_, name): &&(View, String)| args.view.as_ref().is_none_or(|wanted| wanted == name);
    if let Some(found) = drawable.iter().find(wanted) {
        return Ok(found.clone());
    }
    if names.is_empty() {
        // What is wrong with it may be why.
        if let Some(error) = source.broken()? {
            return Err(error.into());
        }
        return Err(Fault::Said(format!("{path}: {}", nothing(&source.tables))));
    }
    let name = args.view.as_deref().unwrap_or_default();
    Err(Fault::Said(if all.iter().any(|view| view.name() == name) {
        format!("{path}: {name} has neither cells nor positions to draw; {names} have")
    } else {
        format!("{path}: there is no view {name:?}; there are {names}")
    }))
}

/// Why there is nothing to draw.
fn nothing(tables: &[TableDef]) -> String {
    let held = tables.iter().filter(|table| table.lane != Lane::Facts);
    let held: Vec<&str> = held.map(|table| &*table.name).collect();
    let had = if held.is_empty() {
        "it has no tables but facts".to_owned()
    } else {
        format!("it has {}", held.join(", "))
    };
    format!(
        "there is nothing to draw: {had}, and no cells or positions; where those are worked out, the recording \
         has to carry what they are worked out from, such as its world or the names of its schema"
    )
}
