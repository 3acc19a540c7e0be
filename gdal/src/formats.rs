//! Arrays in formats of GDAL, by their identifiers: the number of a band, the name of a multidimensional array, or a
//! subdataset.

use cfa::plugin::{Asked, ForeignArray, ForeignFormats, ForeignNumbers};
use cfa::{Error, Kind, Result, Selection};

use crate::array::{GdalArray, Traits};
use crate::dataset::{GdalDataset, Opener};
use crate::quiet::Quiet;
use crate::subdataset::{self, Subdataset};

/// The maximum number of names of one kind in a message.
const MOST_NAMES: usize = 20;

/// GDAL's formats.
pub(crate) struct Gdal;

impl ForeignFormats for Gdal {
    fn open(&self, asked: &Asked<'_>) -> Result<ForeignArray> {
        let _quiet = Quiet::new();
        let Asked { file, identifier, .. } = *asked;
        let opener = Opener::new(asked);
        let Some(handles) = find(&opener, identifier)? else {
            let message = format!("no band, array or subdataset '{identifier}'{}", contents(&opener));
            return Err(Error::new(Kind::FragmentVariable, message).in_file(file));
        };
        let Traits { shape, data_type, attributes } =
            stacked(&handles.arrays, identifier).map_err(|error| error.in_file(file))?;
        let Some(data_type) = data_type else {
            let message = format!("'{identifier}' has complex numbers or text");
            return Err(Error::new(Kind::FragmentType, message).in_file(file));
        };
        let numbers =
            Box::new(Numbers { handles, shape: shape.clone(), element: data_type.size().unwrap_or(0) });
        Ok(ForeignArray { shape, data_type, attributes, numbers })
    }
}

/// The numbers of an array of this shape and size of elements.
struct Numbers {
    handles: Handles,
    shape: Vec<u64>,
    element: usize,
}

/// An array, or several that are its parts along the first dimension, and the dataset to which they belong, which is
/// released after them.
struct Handles {
    arrays: Vec<GdalArray>,
    _dataset: GdalDataset,
}

impl Handles {
    fn one(array: Option<GdalArray>, dataset: GdalDataset) -> Option<Self> {
        array.map(|array| Handles { arrays: vec![array], _dataset: dataset })
    }
}

// SAFETY: GDAL lets its objects move between threads as long as one uses them at a time; reading takes them exclusively.
unsafe impl Send for Handles {}

impl ForeignNumbers for Numbers {
    fn read(&mut self, selection: &Selection, out: &mut [u8]) -> Result<()> {
        let _quiet = Quiet::new();
        let Numbers { handles: Handles { arrays, .. }, shape, element } = self;
        if let [array] = &**arrays {
            return array.read(shape, *element, selection, out);
        }
        let (start, count, step) = (selection.start(), selection.count(), selection.step());
        let plane = &shape[1..];
        let within = Selection::new(&start[1..], &count[1..], &step[1..], plane)?;
        let bytes = out.len() / count[0] as usize;
        for (i, part) in (0..count[0]).zip(out.chunks_exact_mut(bytes.max(1))) {
            let band = start[0].wrapping_add_signed(step[0].wrapping_mul(i as i64));
            let array = arrays.get(band as usize);
            let array = array.ok_or_else(|| Error::new(Kind::Internal, "selection outside the bands"))?;
            array.read(plane, *element, &within, part)?;
        }
        Ok(())
    }
}

/// Finds the array that an identifier names.
fn find(opener: &Opener<'_>, identifier: &str) -> Result<Option<Handles>> {
    let number = identifier.trim().parse::<u32>().ok().and_then(|n| i32::try_from(n).ok());
    if number.is_none() {
        if let Some(array) = find_array(opener, identifier) {
            return Ok(Some(array));
        }
    }
    if let Some((name, indices)) = subdataset::plane(identifier) {
        let plane =
            |Handles { arrays, _dataset: dataset }| Handles::one(arrays.first()?.plane(&indices), dataset);
        if let Some(array) = find_array(opener, name).and_then(plane) {
            return Ok(Some(array));
        }
    }
    // A store may have no array with bands.
    let Ok(whole) = opener.bands() else { return opener.arrays().map(|_| None) };
    if let Some(number) = number {
        return Ok(Handles::one(whole.band(number), whole));
    }
    // A subdataset that is not listed is not opened, whatever file it names.
    let listed = whole.subdatasets();
    let mut subdatasets = listed.iter().filter_map(|name| Subdataset::new(name, opener.path()));
    let Some(subdataset) = subdatasets.find(|subdataset| subdataset.is_named(identifier)) else {
        return Ok(None);
    };
    // Zarr lists arrays of any rank, but has bands only for those of two dimensions.
    if let Some(array) = subdataset.array().and_then(|name| find_array(opener, name)) {
        return Ok(Some(array));
    }
    let dataset = opener.subdataset(&whole, &subdataset)?;
    let bands: Option<_> = (1..=dataset.band_count()).map(|number| dataset.band(number)).collect();
    Ok(bands.map(|arrays| Handles { arrays, _dataset: dataset }))
}

/// Returns the multidimensional array of a name, if the driver has such arrays.
fn find_array(opener: &Opener<'_>, name: &str) -> Option<Handles> {
    let dataset = opener.arrays().ok()?;
    Handles::one(dataset.array(name), dataset)
}

/// Returns the traits of arrays as one: each is an index of the first dimension, unless it is the only one.
fn stacked(arrays: &[GdalArray], identifier: &str) -> Result<Traits> {
    let mut all = arrays.iter().map(GdalArray::traits);
    let mut first = all.next().ok_or_else(|| {
        Error::new(Kind::FragmentVariable, format!("subdataset '{identifier}' has no bands"))
    })?;
    for (number, other) in (2..).zip(all) {
        if let Some(what) = first.difference(&other) {
            let message = format!("band {number} of '{identifier}' has another {what} than band 1");
            return Err(Error::new(Kind::FragmentType, message));
        }
    }
    if arrays.len() > 1 {
        first.shape.insert(0, arrays.len() as u64);
    }
    Ok(first)
}

/// Returns the end of a message: the names that an identifier can have.
fn contents(opener: &Opener<'_>) -> String {
    let bands = opener.bands().ok();
    let count = bands.as_ref().map_or(0, GdalDataset::band_count);
    let arrays = opener.arrays().map(|dataset| dataset.arrays(MOST_NAMES + 1)).unwrap_or_default();
    let listed = bands.map(|dataset| dataset.subdatasets()).unwrap_or_default();
    let subdatasets = listed.iter().filter_map(|name| Subdataset::new(name, opener.path()));
    let sorts = [
        (count > 0).then(|| if count == 1 { "band 1".to_owned() } else { format!("bands 1 to {count}") }),
        named("array", &arrays),
        named("subdataset", &subdatasets.map(|s| s.identifier()).collect::<Vec<_>>()),
    ];
    let sorts: Vec<_> = sorts.into_iter().flatten().collect();
    if sorts.is_empty() {
        return String::new();
    }
    format!("; it has: {}", sorts.join(", "))
}

/// Returns the names of one kind, no more than a reader looks through.
fn named(sort: &str, names: &[String]) -> Option<String> {
    Some(match names {
        [] => return None,
        [name] => format!("{sort} {name}"),
        names if names.len() > MOST_NAMES => format!("{sort}s {}, ...", names[..MOST_NAMES].join(", ")),
        names => format!("{sort}s {}", names.join(", ")),
    })
}
