//! Arranges the output of cbindgen in the order of the topics, and in fewer lines.

use std::collections::BTreeMap;

use super::topics::{Topic, TOPICS};

/// Returns the header made from cbindgen's output; `source` returns the text of a file of `src/capi`.
pub fn assembled(written: &str, source: impl Fn(&str) -> String) -> String {
    let (preamble, rest) = written.split_once("#include <stdint.h>\n").unwrap();
    let mut blocks: BTreeMap<String, String> = BTreeMap::new();
    for block in rest.split("\n/**\n").skip(1) {
        let block = block.split("\n#endif").next().unwrap();
        let block = compact(&format!("/**\n{}\n", block.trim_end()));
        blocks.insert(name_of(&block), block);
    }
    let mut header =
        format!("{preamble}#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
    header += &types(&mut blocks);
    for topic in &TOPICS {
        header += &introduction(topic);
        let names = topic.nouns.iter().flat_map(|noun| items(&source(noun)));
        let mut before_was_short = false;
        for block in names.filter_map(|name| blocks.remove(&name)) {
            // Constants of one line each stand together.
            let is_short = block.lines().count() == 2 && block.contains("#define ");
            if !(is_short && before_was_short) {
                header.push('\n');
            }
            header += &block;
            header += &initializer(&block);
            before_was_short = is_short;
        }
    }
    assert!(blocks.is_empty(), "no topic has {:?}", blocks.keys());
    header + "\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* CFA_H */\n"
}

/// What the item of a block is called.
fn name_of(block: &str) -> String {
    let code = block.split_once("*/\n").unwrap().1;
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
    if let Some(rest) = code.strip_prefix("#define ") {
        return word(rest);
    }
    if let Some((_, rest)) = code.split_once("(*") {
        return word(rest);
    }
    match code.strip_prefix("typedef ") {
        Some(rest) => word(rest.rsplit([' ', '}']).next().unwrap()),
        None => code.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap().to_owned(),
    }
}

/// The items of a file of `src/capi` that the header declares, in order.
fn items(source: &str) -> Vec<String> {
    let starts =
        ["pub const ", "pub type ", "pub struct ", "pub unsafe extern \"C\" fn ", "pub extern \"C\" fn "];
    let name = |line: &str| {
        let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
    };
    source.lines().filter_map(name).collect()
}

/// Comments of one line take one line, and negative numbers have parentheses, so that `1 CFA_X` is never an expression.
fn compact(block: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = block.lines().peekable();
    while let Some(line) = rest.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if line.trim_start() == "/**" {
            let text = rest.next().unwrap();
            let joined = format!("{indent}/** {} */", text.trim_start().trim_start_matches("* "));
            if rest.peek().is_some_and(|line| line.trim_start() == "*/") && joined.len() <= 120 {
                rest.next();
                lines.push(joined);
                continue;
            }
            lines.extend([line.to_owned(), text.to_owned()]);
            continue;
        }
        match line.rsplit_once(' ') {
            Some((name, value)) if name.starts_with("#define ") && value.starts_with('-') => {
                lines.push(format!("{name} ({value})"));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// All structures, declared before they are used: handles with their descriptions, the others by name.
fn types(blocks: &mut BTreeMap<String, String>) -> String {
    let is_handle = |block: &str| block.lines().last().unwrap().starts_with("typedef struct ");
    let mut text = "\n/* Handles: their contents are private to the library. */\n".to_owned();
    let handles: Vec<String> =
        blocks.iter().filter(|(_, block)| is_handle(block)).map(|(name, _)| name.clone()).collect();
    for name in handles {
        text = text + "\n" + &blocks.remove(&name).unwrap();
    }
    text += "\n/* Structures, described where they are used. */\n\n";
    for (name, block) in blocks.iter_mut() {
        let begin = format!("typedef struct {name} {{");
        if block.contains(&begin) {
            text += &format!("typedef struct {name} {name};\n");
            *block =
                block.replace(&begin, &format!("struct {name} {{")).replace(&format!("}} {name};"), "};");
        }
        *block = block.replace("const struct cfa_", "const cfa_");
        if !block.contains("\nstruct ") {
            *block = block.replace("struct cfa_", "cfa_");
        }
    }
    text
}

fn introduction(topic: &Topic) -> String {
    let rule = "=".repeat(114 - topic.title.len());
    let lines: Vec<String> =
        topic.text.lines().map(|line| format!(" * {line}").trim_end().to_owned()).collect();
    format!("\n/* {} {rule}\n *\n{}\n */\n", topic.title, lines.join("\n"))
}

/// The macro that initialises a structure whose first field is its size.
fn initializer(block: &str) -> String {
    let Some((_, body)) = block.split_once("\nstruct ") else { return String::new() };
    let name = body.split(' ').next().unwrap();
    let fields = body.lines().filter(|line| line.starts_with("  ") && line.ends_with(';'));
    let fields: Vec<&str> = fields.filter(|line| !line.trim_start().starts_with('*')).collect();
    if fields.first().map(|field| field.trim()) != Some("size_t size;") {
        return String::new();
    }
    let zero = |field: &&str| if field.contains('*') || field.contains("_callback ") { "NULL" } else { "0" };
    let zeros: Vec<&str> = fields[1..].iter().map(zero).collect();
    let (macro_name, zeros) = (name.to_uppercase(), zeros.join(", "));
    let mut line = format!("#define {macro_name}_INIT {{sizeof({name}), {zeros}}}");
    if line.len() > 120 {
        line = line.replace("_INIT {", "_INIT \\\n  {");
    }
    let last = line.rfind('\n').map_or(0, |at| at + 1);
    if line.len() - last > 120 {
        let middle = line[last..last + 110].rfind(", ").map_or(line.len(), |at| last + at + 1);
        line.replace_range(middle..middle + 1, " \\\n   ");
    }
    format!("\n/** Initialises a {name}: all fields have their defaults. */\n{line}\n")
}
