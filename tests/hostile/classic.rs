//! Headers of classic files that claim more than follows.

use std::time::Instant;

use super::{spend, MOST_TIME};

fn big(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

#[test]
fn counts_and_lengths_beyond_the_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let most = i32::MAX as u32;
    for version in [1, 2] {
        for body in [
            // Dimensions, attributes, variables.
            big(&[0, 10, most]),
            big(&[0, 0, 0, 12, most]),
            big(&[0, 0, 0, 0, 0, 11, most]),
            // A name, the values of an attribute, the dimensions of a variable.
            big(&[0, 10, 1, most]),
            big(&[0, 0, 0, 12, 1, 1, 0x6100_0000, 6, most]),
            big(&[0, 0, 0, 0, 0, 11, 1, 1, 0x6100_0000, most]),
        ] {
            let mut file = vec![b'C', b'D', b'F', version];
            file.extend(body);
            file.resize(file.len() + 4096, 0);
            std::fs::write(&path, file).unwrap();
            assert!(spend(&path).is_err());
        }
    }
}

#[test]
fn very_many_dimensions_are_shown_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let count = 500_000;
    let mut file = b"CDF\x01".to_vec();
    file.extend(big(&[0, 10, count]));
    (0..count).for_each(|i| file.extend(big(&[4, 0x6161_6161 + i, 1])));
    file.extend(big(&[0, 0, 0, 0]));
    std::fs::write(&path, file).unwrap();
    let began = Instant::now();
    let shown =
        std::process::Command::new(env!("CARGO_BIN_EXE_cfa")).arg("info").arg(&path).output().unwrap();
    assert!(began.elapsed() < MOST_TIME, "{:?}", began.elapsed());
    assert_eq!(shown.stdout.iter().filter(|&&byte| byte == b'\n').count(), 3 + count as usize);
}

#[test]
fn a_header_full_of_the_shortest_attributes_takes_no_more_than_a_few_times_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let count = 100_000;
    let mut file = b"CDF\x01".to_vec();
    file.extend(big(&[0, 0, 0, 12, count]));
    (0..count).for_each(|i| file.extend(big(&[4, 0x6161_6161 + i, 1, 0])));
    file.extend(big(&[0, 0]));
    std::fs::write(&path, file).unwrap();
    spend(&path).unwrap();
}
