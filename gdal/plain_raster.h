// Where GDAL's netCDF driver puts the raster of a netCDF file that is in memory. The last answers are remembered.
#ifndef CFA_GDAL_PLAIN_RASTER_H
#define CFA_GDAL_PLAIN_RASTER_H

#include <string>
#include <vector>

#include <ogr_spatialref.h>

#include "versions.h"

namespace cfa_gdal
{

struct PlainRaster
{
    // The name of the variable whose raster it is; all ones in its first row, and nothing or zeros in the others.
    static const char *const VARIABLE;

    // Asks the driver, unless it was asked about an equal file under equal settings before. Returns false, without
    // CPLError, if the driver cannot open the file.
    bool Find(std::vector<GByte> file);

    // Empty if there is none.
    OGRSpatialReference reference{};
    double transform[6] = {0, 1, 0, 0, 0, 1};
    bool hasTransform = false;
    // Whether the first row of the data is the southernmost one.
    bool isBottomUp = false;
    // The items of the domains GEOLOCATION, whose arrays are named as in the file, and GEOLOCATION2.
    CPLStringList geolocation{};
    CPLStringList geolocation2{};
    // The items of metadata such as "x#units".
    CPLStringList units{};
};

} // namespace cfa_gdal

#endif
