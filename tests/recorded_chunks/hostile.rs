//! Tables that someone made up: reads return what parsing returns, or the same error.

use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::{DataType, Dialect, Fragment, Kind, OpenOptions, Version};

use super::*;

/// The tables of a variable.
struct Tables {
    fragments: Vec<i64>,
    layouts: String,
    chunks: Vec<i64>,
    columns: [u64; 2],
    text: Option<String>,
}

/// A change of tables.
type Edit = dyn FnOnce(&mut Tables);

/// Writes the aggregation of a scene with other tables.
fn forged(scene: &Scene, edit: impl FnOnce(&mut Tables)) -> PathBuf {
    let raw = Dataset::open_with(&scene.out, &OpenOptions::default().raw_view(true)).unwrap();
    let read = |name: &str| {
        let variable = raw.variable(name).unwrap();
        let shape = variable.shape().unwrap().to_vec();
        variable.read_values(&Selection::all(&shape)).unwrap()
    };
    let (Values::I64(fragments), Values::Char(layouts), Values::I64(chunks)) =
        (read("cfa_chunk_fragments"), read("cfa_chunk_layouts"), read("cfa_chunk_places"))
    else {
        panic!("other types");
    };
    let layouts = String::from_utf8(layouts).unwrap();
    let mut tables = Tables { fragments, layouts, chunks, columns: [5, 3], text: None };
    edit(&mut tables);
    let mut file = File::default();
    for (name, size) in [("time", 6), ("lat", 20), ("lon", 30)] {
        file.add_dimension(name, size);
    }
    let [wide, long] = tables.columns;
    file.add_dimension("wide", wide);
    file.add_dimension("long", long);
    file.add_dimension("rows", tables.fragments.len() as u64 / wide);
    file.add_dimension("letters", tables.layouts.len() as u64);
    file.add_dimension("places", tables.chunks.len() as u64 / long);
    let list = (0..3).map(|i| {
        let location = Some(format!("part{i}.nc"));
        Fragment::Stored {
            versions: vec![Version { location, identifier: "tas".into(), format: None }],
            view: None,
        }
    });
    let text = tables.text.unwrap_or("fragments: f layouts: l chunks: c".into());
    let variable = Variable::new("tas", DataType::F32, &["time", "lat", "lon"]);
    let variable = variable.attribute("units", "K").attribute("cfa_fragment_chunks", text);
    let sizes = vec![vec![2, 2, 2], vec![20], vec![30]];
    let aggregated = Aggregated { variable, sizes, fragments: Content::Stored(list.collect()) };
    add(&mut file, &aggregated, Dialect::Cf113).unwrap();
    file.variables.push(Variable::with_values("f", &["rows", "wide"], Values::I64(tables.fragments)));
    file.variables.push(Variable::with_values("l", &["letters"], Values::Char(tables.layouts.into_bytes())));
    file.variables.push(Variable::with_values("c", &["places", "long"], Values::I64(tables.chunks)));
    let path = scene.path("forged.nc");
    write_file(&file, &path, Format::Netcdf4).unwrap();
    path
}

#[test]
fn forged_tables_of_this_form_are_used() {
    // Otherwise the next test would show nothing.
    let scene = Scene::new();
    let expected = scene.read();
    let path = forged(&scene, |_| {});
    scene.parts.iter().for_each(|part| spoil(part));
    assert!(tas(&Dataset::open(&path).unwrap()).unwrap() == expected);
    let path = forged(&scene, |tables| tables.chunks[0] += 1);
    assert!(
        tas(&Dataset::open(&path).unwrap()).is_err(),
        "the chunk is not there, and the file cannot be parsed"
    );
}

#[test]
fn no_record_makes_a_file_readable_that_is_not_netcdf() {
    let scene = Scene::new();
    scene.parts.iter().for_each(|part| forge(part, |bytes| bytes[..8].fill(b'x')));
    let error = tas(&Dataset::open(&scene.out).unwrap()).unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentUnreadable, "{error}");
}

#[test]
fn what_is_not_possible_is_ignored() {
    let scene = Scene::new();
    let expected = scene.read();
    let edits: Vec<(&str, Box<Edit>)> = vec![
        ("offset beyond the end", Box::new(|t| t.chunks[0] = 1 << 40)),
        ("offset at the end of numbers", Box::new(|t| t.chunks[0] = i64::MAX)),
        ("negative offset", Box::new(|t| t.chunks[0] = -2)),
        ("offset elsewhere", Box::new(|t| t.chunks[0] += 7)),
        ("size beyond the end", Box::new(|t| t.chunks[1] = 1 << 40)),
        ("huge size", Box::new(|t| t.chunks[1] = i64::MAX)),
        ("negative size", Box::new(|t| t.chunks[1] = -5)),
        ("no size", Box::new(|t| t.chunks[1] = 0)),
        ("size of another chunk", Box::new(|t| t.chunks[1] -= 3)),
        ("huge mask", Box::new(|t| t.chunks[2] = 1 << 40)),
        ("negative mask", Box::new(|t| t.chunks[2] = -1)),
        ("all filters masked", Box::new(|t| t.chunks[2] = 3)),
        ("rows cut off", Box::new(|t| t.chunks.truncate(9))),
        ("first row beyond the table", Box::new(|t| t.fragments[2] = 1 << 40)),
        ("first row at the end of numbers", Box::new(|t| t.fragments[2] = i64::MAX)),
        ("negative first row", Box::new(|t| t.fragments[2] = -1)),
        ("other length", Box::new(|t| t.fragments[3] += 1)),
        ("negative length", Box::new(|t| t.fragments[3] = -1)),
        ("huge length", Box::new(|t| t.fragments[3] = i64::MAX)),
        ("other state", Box::new(|t| t.fragments[4] ^= 1)),
        ("layout beyond the text", Box::new(|t| t.fragments[0] = 1 << 40)),
        ("layout at the end of numbers", Box::new(|t| t.fragments[0] = i64::MAX)),
        ("huge layout", Box::new(|t| t.fragments[1] = i64::MAX)),
        ("empty layout", Box::new(|t| t.fragments[1] = 0)),
        ("layout cut off", Box::new(|t| t.fragments[1] -= 1)),
        ("no JSON", Box::new(|t| t.layouts = "x".repeat(t.layouts.len()))),
        (
            "other rank",
            Box::new(|t| t.layouts = t.layouts.replace("[2,20,30]", "[2,20*30]".replace('*', ",").as_str())),
        ),
        (
            "smaller rank",
            Box::new(|t| t.layouts = t.layouts.replace("\"shape\":[2,20,30]", "\"shape\":[2,60000]")),
        ),
        (
            "other shape",
            Box::new(|t| t.layouts = t.layouts.replace("\"shape\":[2,20,30]", "\"shape\":[2,30,20]")),
        ),
        (
            "other chunks",
            Box::new(|t| t.layouts = t.layouts.replace("\"chunk\":[1,7,30]", "\"chunk\":[1,9,30]")),
        ),
        ("huge chunks", Box::new(|t| t.layouts = t.layouts.replace("[1,7,30]", "[9,99999999999999]"))),
        ("rank of chunks", Box::new(|t| t.layouts = t.layouts.replace("[1,7,30]", "[210,1]"))),
        ("unknown filter", Box::new(|t| t.layouts = t.layouts.replace("[[2,", "[[9,"))),
        (
            "rows of four",
            Box::new(|t| {
                t.columns[1] = 4;
                t.chunks.resize(36 / 4 * 4, 0);
            }),
        ),
        (
            "columns of four",
            Box::new(|t| {
                t.columns[0] = 4;
                t.fragments.truncate(12);
            }),
        ),
        ("fewer fragments", Box::new(|t| t.fragments.truncate(10))),
        ("no such variables", Box::new(|t| t.text = Some("fragments: f layouts: nothing chunks: c".into()))),
        ("other types", Box::new(|t| t.text = Some("fragments: l layouts: f chunks: c".into()))),
        ("no terms", Box::new(|t| t.text = Some("nonsense".into()))),
        ("nothing", Box::new(|t| t.text = Some(String::new()))),
    ];
    for (what, edit) in edits {
        let path = forged(&scene, edit);
        let read = tas(&Dataset::open(&path).unwrap());
        match read {
            Ok(values) => assert!(values == expected, "{what}"),
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

#[test]
fn a_check_finds_chunks_that_are_not_where_they_are_recorded() {
    let rules = |path: &Path| -> Vec<String> {
        let options = cfa::check::Options { fragments: true, ..cfa::check::Options::default() };
        let report = cfa::check::check(path, &options).unwrap();
        let rules = report.findings.iter().map(|f| f.rule.to_owned());
        rules.filter(|rule| rule.starts_with("fragment")).collect()
    };
    let scene = Scene::new();
    assert_eq!(rules(&forged(&scene, |_| {})), [""; 0]);
    assert_eq!(rules(&forged(&scene, |t| t.chunks[3] += 1)), ["fragment-chunks"]);
    let fill = |t: &mut Tables| t.layouts = t.layouts.replace("\"fill\":\"0000", "\"fill\":\"0001");
    assert_eq!(rules(&forged(&scene, fill)).len(), 3);
    part(&scene.parts[2], 4, 50);
    assert_eq!(rules(&scene.out), ["fragment-chunks-stale"]);
}
