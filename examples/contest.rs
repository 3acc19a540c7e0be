//! One timed read for comparisons with other readers: `contest FILE VARIABLE SELECTION`.
//!
//! `SELECTION` is `start:stop:step,..` per dimension, or `-` to open and list only. Prints one line of JSON with
//! seconds to open and to read, CPU seconds, peak memory and a CRC-32 of the values as float32. With `BENCH_DUMP=FILE`
//! the values are written there.

use std::io::Write;
use std::time::Instant;

use cfa::{DataType, Dataset, Output, Selection};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, part] = words.as_slice() else {
        return Err("usage: contest FILE VARIABLE start:stop:step,..|-".into());
    };
    let begin = Instant::now();
    let dataset = Dataset::open(file)?;
    let variable = dataset.variable(name)?;
    let shape = variable.shape()?.to_vec();
    if part == "-" {
        for variable in dataset.variables() {
            variable.shape()?;
        }
        report(begin.elapsed().as_secs_f64(), 0.0, &[], &[]);
        return Ok(());
    }
    let opened = begin.elapsed().as_secs_f64();
    let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
    for range in part.split(',') {
        let numbers: Vec<u64> = range.split(':').map(str::parse).collect::<Result<_, _>>()?;
        let [from, to, by] = numbers[..] else { return Err("start:stop:step expected".into()) };
        start.push(from);
        count.push((to - from).div_ceil(by));
        step.push(by as i64);
    }
    let selection = Selection::new(&start, &count, &step, &shape)?;
    let bytes = selection.len().ok_or("too large")? as usize * 4;
    let buffer = allocate(bytes);
    let begin = Instant::now();
    variable.read_into(&selection, Output::new(DataType::F32, buffer))?;
    let read = begin.elapsed().as_secs_f64();
    report(opened, read, buffer, &count);
    Ok(())
}

/// Fresh zeroed memory in huge pages, as the other contestants use it.
fn allocate(bytes: usize) -> &'static mut [u8] {
    if bytes < 4 << 20 {
        return vec![0; bytes].leak();
    }
    // SAFETY: an anonymous private mapping of this length is new memory that nothing else refers to.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let start = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert!(start != libc::MAP_FAILED, "no memory");
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        std::slice::from_raw_parts_mut(start.cast(), bytes)
    }
}

fn report(open: f64, read: f64, values: &[u8], shape: &[u64]) {
    let cpu = cpu_seconds();
    let rss = peak_kilobytes();
    let mut crc = libdeflater::Crc::new();
    crc.update(values);
    if let Some(path) = std::env::var_os("BENCH_DUMP").filter(|_| !values.is_empty()) {
        std::fs::File::create(path).and_then(|mut f| f.write_all(values)).expect("BENCH_DUMP is writable");
    }
    println!(
        "{{\"open\":{open:.6},\"read\":{read:.6},\"cpu\":{cpu:.6},\"rss_kb\":{rss},\"crc\":{},\"shape\":{shape:?}}}",
        crc.sum()
    );
}

fn cpu_seconds() -> f64 {
    // SAFETY: getrusage fills the zeroed structure.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + 1e-6 * t.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0)
}
