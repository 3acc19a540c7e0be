//! Contents that exceed what a header, a message or a number of four bytes can hold.

use cfa::internals::write::{write_checked, Dimension, File, Format, Group, NewFile, Storage, Variable};
use cfa::{Attributes, DataType, Dataset, Kind, Selection, Values};

use super::{alone, dump, oracle};

fn both(file: &File, format: Format) {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("ours.nc"), folder.path().join("theirs.nc"));
    write_checked(file, &ours, format).unwrap();
    oracle::write(file, &theirs, format);
    // Not assert_eq, because it would print long values.
    assert!(dump(&ours) == dump(&theirs));
    let held = alone();
    let mut more = netcdf::append(&ours).unwrap();
    if format != Format::Netcdf4 {
        more.redef().unwrap();
    }
    more.add_attribute("added", 5).unwrap();
    more.close().unwrap();
    drop(held);
    assert!(dump(&ours).contains(":added = 5 ;"));
}

#[test]
fn attributes_of_more_than_64_kib_are_written() {
    let mut file = File::default();
    let mut variable = Variable::with_values("v", &[], Values::I32(vec![1]));
    for attributes in [&mut file.attributes, &mut variable.attributes] {
        attributes.set_text("before", "a");
        attributes.set_text("long", "text ".repeat(60_000));
        attributes.set("numbers", Values::F64((0..40_000).map(f64::from).collect()));
        attributes.set("strings", Values::String((0..20_000).map(|i| format!("string {i}")).collect()));
        attributes.set_text("after", "b");
    }
    file.variables.push(variable);
    both(&file, Format::Netcdf4);
    for attributes in [&mut file.attributes, &mut file.variables[0].attributes] {
        attributes.remove("strings");
    }
    both(&file, Format::Classic);
}

#[test]
fn attributes_at_the_edge_of_a_message_are_written() {
    for len in 65_480..65_540 {
        let mut file = File::default();
        file.attributes.set_text("a", "x".repeat(len));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        write_checked(&file, &path, Format::Netcdf4).unwrap();
        if len % 10 == 0 {
            assert!(dump(&path).len() > len);
        }
    }
}

#[test]
fn thousands_of_variables_on_one_dimension_are_written() {
    let mut file = File::default();
    file.add_dimension("x", 2);
    file.add_dimension("alone", 2);
    file.variables.push(Variable::with_values("x", &["x"], Values::F64(vec![1.0, 2.0])));
    for i in 0..5000i32 {
        let on = if i % 7 == 0 { "alone" } else { "x" };
        file.variables.push(Variable::with_values(format!("v{i}"), &[on], Values::I32(vec![i, -i])));
    }
    both(&file, Format::Netcdf4);
    both(&file, Format::Classic);
}

#[test]
fn thousands_of_attributes_and_groups_are_written() {
    let mut file = File::default();
    let mut attributes = Attributes::none();
    for i in 0..3000 {
        attributes.set(&format!("attribute {i}"), Values::I16(vec![i]));
    }
    file.attributes = attributes.clone();
    let mut variable = Variable::with_values("v", &[], Values::I32(vec![1]));
    variable.attributes = attributes;
    file.variables.push(variable);
    for i in 0..1500 {
        file.groups.push(Group { name: format!("g{i}"), ..Group::default() });
    }
    both(&file, Format::Netcdf4);
}

#[test]
fn many_chunks_have_a_tree_of_several_levels() {
    let mut file = File::default();
    file.dimensions.push(Dimension { name: "t".into(), size: 10_001, unlimited: true });
    file.add_dimension("x", 3);
    let values = Values::I32((0..30_003).collect());
    let mut variable = Variable::with_values("v", &["t", "x"], values);
    variable.storage = Storage { chunks: Some(vec![2, 2]), deflate: Some(1), shuffle: true };
    file.variables.push(variable);
    both(&file, Format::Netcdf4);
}

#[test]
fn strings_fill_many_heaps() {
    let mut file = File::default();
    file.add_dimension("n", 30_000);
    let strings = (0..30_000).map(|i| if i % 1000 == 3 { "y".repeat(100_000) } else { format!("name {i}") });
    file.variables.push(Variable::with_values("s", &["n"], Values::String(strings.collect())));
    both(&file, Format::Netcdf4);
}

#[test]
fn a_dimension_without_variable_takes_no_room() {
    let mut file = File::default();
    file.add_dimension("x", u64::from(u32::MAX) * 1000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    write_checked(&file, &path, Format::Netcdf4).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1000);
    assert!(dump(&path).contains("x = 4294967295000 ;"));
}

#[test]
fn data_that_are_not_given_are_fill_values() {
    for format in [Format::Netcdf4, Format::Classic] {
        for chunks in [None, Some(vec![2, 2])] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.nc");
            let mut file = File::default();
            file.add_dimension("y", 3);
            file.add_dimension("x", 3);
            let mut variable = Variable::new("v", DataType::I16, &["y", "x"]);
            variable.storage.chunks = chunks.clone();
            variable.attributes.set("_FillValue", Values::I16(vec![-9]));
            file.variables.push(variable);
            file.variables.push(Variable::new("never", DataType::F64, &["y"]));
            let mut new = NewFile::create(&file, &path, format).unwrap();
            new.put("v", &[1, 1], &[2, 2], &Values::I16(vec![1, 2, 3, 4])).unwrap();
            new.put("v", &[0, 2], &[1, 1], &Values::I16(vec![5])).unwrap();
            new.commit().unwrap();
            let text = dump(&path);
            assert!(text.contains("_, _, 5,\n  _, 1, 2,\n  _, 3, 4 ;"), "{text}");
            assert!(text.contains("never = _, _, _ ;"), "{text}");
            let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
            let read = variable.read_values(&Selection::all(&[3, 3])).unwrap();
            assert_eq!(read, Values::I16(vec![-9, -9, 5, -9, 1, 2, -9, 3, 4]));
        }
    }
}

#[test]
fn files_beyond_4_gib_are_written_and_read() {
    // Chunks that are not given are not stored, and zeros are holes in a sparse file.
    const N: u64 = 5 << 20;
    let chunked = Some(vec![1, 1 << 20]);
    for (format, chunks) in
        [(Format::Netcdf4, None), (Format::Netcdf4, chunked), (Format::Classic, None), (Format::Cdf5, None)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        let mut file = File::default();
        file.add_dimension("one", 1);
        file.add_dimension("y", 1024);
        file.add_dimension("x", N);
        file.variables.push(Variable::with_values("small", &["one"], Values::I8(vec![3])));
        let mut variable = Variable::new("v", DataType::Char, &["y", "x"]);
        variable.storage = Storage { chunks, ..Storage::default() };
        file.variables.push(variable);
        // CDF-2 cannot express the offset of a variable after one of this size.
        let mut two = file.clone();
        two.variables.push(Variable::with_values("after", &["one"], Values::I8(vec![4])));
        if format == Format::Classic {
            let error = NewFile::create(&two, &path, format).err().unwrap();
            assert_eq!(error.kind(), Kind::Unsupported);
            assert!(error.to_string().contains("use format cdf5 or netcdf4"), "{error}");
        } else {
            file = two;
        }
        let mut new = NewFile::create(&file, &path, format).unwrap();
        new.put("v", &[1023, N - 3], &[1, 3], &Values::Char(b"end".to_vec())).unwrap();
        new.commit().unwrap();
        let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
        let part = Selection::new(&[1023, N - 5], &[1, 5], &[1, 1], &[1024, N]).unwrap();
        assert_eq!(variable.read_values(&part).unwrap(), Values::Char(b"\0\0end".to_vec()));
        let _alone = alone();
        let oracle = netcdf::open(&path).unwrap();
        let part = (1023usize..1024, (N as usize - 4)..(N as usize));
        let mut read = [0u8; 4];
        oracle.variable("v").unwrap().get_raw_values_into(&mut read, part).unwrap();
        assert_eq!(&read, b"\0end");
    }
}
