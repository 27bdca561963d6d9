// SPDX-License-Identifier: Apache-2.0
#include "InkDevice.h"

#include <GfxState.h>
#include <splash/Splash.h>
#include <splash/SplashBitmap.h>
#include <splash/SplashClip.h>
#include <splash/SplashMath.h>
#include <splash/SplashPattern.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace {

/// Coordinates beyond this are left to poppler.
constexpr double farthest = 100'000;
/// Outlines of more points than this are ornaments, not boxes.
constexpr int maximum_points = 300;
/// Areas of fewer pixels are not worth the care.
constexpr double least_middle = 2'000;

/// A rectangle; right and bottom are not part of it.
template<typename Number>
struct Bounds {
    Number left, top, right, bottom;

    Number width() const { return right - left; }
    Number height() const { return bottom - top; }
};

/// The pixels that can be drawn on, as far as a rectangle bounds them.
Bounds<int> drawable(Splash *splash)
{
    const SplashBitmap *bitmap = splash->getBitmap();
    SplashClip *clip = splash->getClip();
    return { std::max(clip->getXMinI(), 0), std::max(clip->getYMinI(), 0),
             std::min(clip->getXMaxI() + 1, bitmap->getWidth()), std::min(clip->getYMaxI() + 1, bitmap->getHeight()) };
}

/// Puts the colour of the fill on pixels that can be drawn on.
void paint(Splash *splash, const Bounds<int> &pixels)
{
    if (pixels.width() <= 0 || pixels.height() <= 0) {
        return;
    }
    SplashBitmap *bitmap = splash->getBitmap();
    const size_t count = pixels.width(), channels = bitmap->getMode() == splashModeMono8 ? 1 : 3;
    SplashColor color;
    splash->getFillPattern()->getColor(0, 0, color);
    uint8_t *first = nullptr;
    for (int y = pixels.top; y < pixels.bottom; y++) {
        uint8_t *row = bitmap->getDataPtr() + static_cast<ptrdiff_t>(bitmap->getRowSize()) * y + channels * pixels.left;
        if (channels == 1) {
            std::memset(row, color[0], count);
        } else if (first) {
            std::memcpy(row, first, count * channels);
        } else {
            first = row;
            for (size_t pixel = 0; pixel < count; pixel++) {
                std::memcpy(row + pixel * channels, color, channels);
            }
        }
        std::memset(bitmap->getAlphaPtr() + static_cast<ptrdiff_t>(bitmap->getAlphaRowSize()) * y + pixels.left, 255, count);
    }
}

/// Whether what is filled now simply takes the place of what was there, within a rectangle at most.
bool covers_plainly(Splash *splash, GfxState *state)
{
    const SplashBitmap *bitmap = splash->getBitmap();
    return (bitmap->getMode() == splashModeMono8 || bitmap->getMode() == splashModeRGB8) && bitmap->getAlphaPtr()
        && !state->getFillColorSpace()->isNonMarking() && !state->getTransfer()[0] && splash->getFillPattern()->isStatic()
        && splash->getFillAlpha() == 1 && !splash->getSoftMask() && !splash->getBlendFunc()
        && !splash->getInNonIsolatedGroup() && splash->getClip()->getNumPaths() == 0 && splash->getStrokeAdjust();
}

// MARK: - Rectangles

/// Two opposite corners, before they are placed on the page.
struct Corners {
    double x0, y0, x1, y1;
};

/// The corners of a path that is one closed rectangle with upright edges.
std::optional<Corners> rectangle(const GfxPath *path)
{
    const GfxSubpath *only = path->getNumSubpaths() == 1 ? path->getSubpath(0) : nullptr;
    if (!only || only->getNumPoints() != 5 || !only->isClosed()) {
        return std::nullopt;
    }
    bool startsUpward = true, startsAcross = true;
    for (int i = 1; i < 5; i++) {
        const bool isOdd = i % 2 == 1;
        const bool isUpward = only->getX(i) == only->getX(i - 1), isAcross = only->getY(i) == only->getY(i - 1);
        startsUpward = startsUpward && !only->getCurve(i) && (isOdd ? isUpward : isAcross);
        startsAcross = startsAcross && !only->getCurve(i) && (isOdd ? isAcross : isUpward);
    }
    if (!startsUpward && !startsAcross) {
        return std::nullopt;
    }
    return Corners { only->getX(0), only->getY(0), only->getX(2), only->getY(2) };
}

// MARK: - Other outlines

/// A line or curve of an outline as placed on the page: from where to where, and what it may touch.
struct Edge {
    double x0, y0, x1, y1;
    Bounds<double> bounds;

    /// Stays within its points, of which a curve has more than two.
    void touch(double x, double y)
    {
        bounds = { std::min(bounds.left, x), std::min(bounds.top, y), std::max(bounds.right, x), std::max(bounds.bottom, y) };
    }
};

/// The edges of a path, those that close it too; none of a path that is too long, too far away, or as short as those whose
/// edges poppler takes to whole pixels.
std::vector<Edge> edges(const GfxPath *path, const double *matrix)
{
    std::vector<Edge> edges;
    int points = 0;
    for (int i = 0; i < path->getNumSubpaths(); i++) {
        const GfxSubpath *subpath = path->getSubpath(i);
        const int count = subpath->getNumPoints();
        if (count < 2) {
            continue;
        }
        if ((points += count) > maximum_points) {
            return {};
        }
        // What comes after the last point is the first again.
        double lastX = subpath->getX(0) * matrix[0] + matrix[4], lastY = subpath->getY(0) * matrix[3] + matrix[5];
        bool isWithin = false;
        for (int j = 1; j <= count; j++) {
            const double x = subpath->getX(j % count) * matrix[0] + matrix[4];
            const double y = subpath->getY(j % count) * matrix[3] + matrix[5];
            if (!(std::abs(x) < farthest) || !(std::abs(y) < farthest)) {
                return {};
            }
            if (!isWithin) {
                edges.push_back(Edge { lastX, lastY, x, y, { lastX, lastY, lastX, lastY } });
            }
            edges.back().touch(x, y);
            edges.back().x1 = lastX = x;
            edges.back().y1 = lastY = y;
            isWithin = j < count && subpath->getCurve(j);
        }
    }
    return points > 5 ? edges : std::vector<Edge>();
}

/// A large rectangle of pixels that no edge comes near.
std::optional<Bounds<int>> middle(const std::vector<Edge> &edges, const Bounds<int> &drawable)
{
    Edge all = edges.front();
    for (const Edge &edge : edges) {
        all.touch(edge.bounds.left, edge.bounds.top);
        all.touch(edge.bounds.right, edge.bounds.bottom);
    }
    Bounds<double> room { std::max<double>(drawable.left, all.bounds.left), std::max<double>(drawable.top, all.bounds.top),
                          std::min<double>(drawable.right, all.bounds.right),
                          std::min<double>(drawable.bottom, all.bounds.bottom) };
    const auto area = [](const Bounds<double> &room) { return std::max(room.width(), 0.0) * std::max(room.height(), 0.0); };
    for (const Edge &edge : edges) {
        const double near = 1;
        const auto &[left, top, right, bottom] = edge.bounds;
        if (left - near >= room.right || right + near <= room.left || top - near >= room.bottom || bottom + near <= room.top) {
            continue;
        }
        // Give up the least: what is on one of its four sides.
        const std::array<Bounds<double>, 4> rests { { { room.left, room.top, left - near, room.bottom },
                                                      { right + near, room.top, room.right, room.bottom },
                                                      { room.left, room.top, room.right, top - near },
                                                      { room.left, bottom + near, room.right, room.bottom } } };
        room = *std::max_element(rests.begin(), rests.end(), [&](const auto &a, const auto &b) { return area(a) < area(b); });
        if (area(room) < least_middle) {
            return std::nullopt;
        }
    }
    const Bounds<int> pixels { splashCeil(room.left), splashCeil(room.top), splashFloor(room.right), splashFloor(room.bottom) };
    return pixels.width() > 2 && pixels.height() > 2 ? std::optional(pixels) : std::nullopt;
}

/// How often the edges wind around a point that none of them comes near.
int winding(const std::vector<Edge> &edges, double x, double y)
{
    int winding = 0;
    for (const Edge &edge : edges) {
        if ((edge.y0 <= y) != (edge.y1 <= y)
            && edge.x0 + (y - edge.y0) / (edge.y1 - edge.y0) * (edge.x1 - edge.x0) > x) {
            winding += edge.y1 > edge.y0 ? 1 : -1;
        }
    }
    return winding;
}

/// The path with a hole that runs through the middle of the outermost of these pixels and winds back.
std::unique_ptr<GfxPath> with_hole(const GfxPath *path, const Bounds<int> &pixels, bool backwards, const double *matrix)
{
    const double left = (pixels.left + 0.5 - matrix[4]) / matrix[0], right = (pixels.right - 0.5 - matrix[4]) / matrix[0];
    const double top = (pixels.top + 0.5 - matrix[5]) / matrix[3], bottom = (pixels.bottom - 0.5 - matrix[5]) / matrix[3];
    std::unique_ptr<GfxPath> holed(path->copy());
    holed->moveTo(left, top);
    holed->lineTo(backwards ? left : right, backwards ? bottom : top);
    holed->lineTo(right, bottom);
    holed->lineTo(backwards ? right : left, backwards ? top : bottom);
    holed->close();
    return holed;
}

/// The same samples read as the alternate colour space (ISO 32000-1, 8.6.5.5); null where there is nothing to gain.
std::unique_ptr<GfxImageColorMap> substitute(GfxImageColorMap *colors)
{
    if (!colors || colors->getMatteColor() || colors->getColorSpace()->getMode() != csICCBased) {
        return nullptr;
    }
    GfxColorSpace *alternate = static_cast<GfxICCBasedColorSpace *>(colors->getColorSpace())->getAlt();
    if (!alternate || alternate->getNComps() != colors->getNumPixelComps()) {
        return nullptr;
    }
    auto *range = new Array(nullptr);
    for (int i = 0; i < colors->getNumPixelComps(); i++) {
        range->add(Object(colors->getDecodeLow(i)));
        range->add(Object(colors->getDecodeHigh(i)));
    }
    Object decode(range);
    auto map = std::make_unique<GfxImageColorMap>(colors->getBits(), &decode, alternate->copy());
    return map->isOk() ? std::move(map) : nullptr;
}

// MARK: - Shadings

/// Fills what a function shades: areas are quartered until the colours of their corners are alike, at least once and at most six
/// times. The same areas as poppler's own, which works out any number of colours by a program of any length and never asks.
class FunctionFill {
public:
    FunctionFill(InkDevice &device, GfxState *state, GfxFunctionShading *shading)
        : device(device), state(state), shading(shading)
    {
    }

    void fill()
    {
        Area all {};
        shading->getDomain(&all.x0, &all.y0, &all.x1, &all.y1);
        fill(all, { color(all.x0, all.y0), color(all.x0, all.y1), color(all.x1, all.y0), color(all.x1, all.y1) }, 0);
    }

private:
    static constexpr int deepest = 6;

    /// Of the function's domain.
    struct Area {
        double x0, y0, x1, y1;
    };

    /// Of an area: at its first x and each y, then at its second x.
    using Corners = std::array<GfxColor, 4>;

    InkDevice &device;
    GfxState *state;
    GfxFunctionShading *shading;

    GfxColor color(double x, double y) const
    {
        GfxColor color {};
        if (!device.isLate()) {
            shading->getColor(x, y, &color);
        }
        return color;
    }

    /// By one of 256 shades at most.
    bool areAlike(const Corners &corners) const
    {
        const int components = shading->getColorSpace()->getNComps();
        const GfxColorComp shade = dblToCol(1 / 256.0);
        for (const auto &[one, other] : { std::pair { 0, 1 }, std::pair { 1, 2 }, std::pair { 2, 3 }, std::pair { 3, 0 } }) {
            for (int i = 0; i < components; i++) {
                if (std::abs(corners[one].c[i] - corners[other].c[i]) > shade) {
                    return false;
                }
            }
        }
        return true;
    }

    void fill(const Area &area, const Corners &corners, int depth)
    {
        const auto &[x0, y0, x1, y1] = area;
        const double x = 0.5 * (x0 + x1), y = 0.5 * (y0 + y1);
        if (device.isLate()) {
            return;
        }
        if (depth == deepest || (depth > 0 && areAlike(corners))) {
            paint(area, color(x, y));
            return;
        }
        const GfxColor left = color(x0, y), right = color(x1, y), first = color(x, y0), last = color(x, y1);
        const GfxColor middle = color(x, y);
        fill({ x0, y0, x, y }, { corners[0], left, first, middle }, depth + 1);
        fill({ x0, y, x, y1 }, { left, corners[1], middle, last }, depth + 1);
        fill({ x, y0, x1, y }, { first, middle, corners[2], right }, depth + 1);
        fill({ x, y, x1, y1 }, { middle, last, right, corners[3] }, depth + 1);
    }

    void paint(const Area &area, const GfxColor &color)
    {
        state->setFillColor(&color);
        device.updateFillColor(state);
        const double *m = shading->getMatrix();
        const auto place = [m](double x, double y) {
            return std::pair { x * m[0] + y * m[2] + m[4], x * m[1] + y * m[3] + m[5] };
        };
        const auto [startX, startY] = place(area.x0, area.y0);
        state->moveTo(startX, startY);
        for (const auto &[x, y] : { place(area.x1, area.y0), place(area.x1, area.y1), place(area.x0, area.y1) }) {
            state->lineTo(x, y);
        }
        state->closePath();
        device.fill(state);
        state->clearPath();
    }
};

} // namespace

void InkDevice::fill(GfxState *state)
{
    if (!fill_rectangle(state) && !fill_around_middle(state, false)) {
        SplashOutputDev::fill(state);
    }
}

void InkDevice::eoFill(GfxState *state)
{
    if (!fill_rectangle(state) && !fill_around_middle(state, true)) {
        SplashOutputDev::eoFill(state);
    }
}

/// Fills an upright rectangle with a plain colour: the same pixels as poppler's. False for anything else.
bool InkDevice::fill_rectangle(GfxState *state)
{
    Splash *splash = getSplash();
    const double *matrix = splash->getMatrix();
    const std::optional<Corners> corners = rectangle(state->getPath());
    if (!corners || matrix[1] != 0 || matrix[2] != 0 || !covers_plainly(splash, state)) {
        return false;
    }
    const auto [left, right] = std::minmax({ corners->x0 * matrix[0] + matrix[4], corners->x1 * matrix[0] + matrix[4] });
    const auto [top, bottom] = std::minmax({ corners->y0 * matrix[3] + matrix[5], corners->y1 * matrix[3] + matrix[5] });
    if (!(right - left >= 2) || !(bottom - top >= 2) || left < -farthest || top < -farthest || right > farthest
        || bottom > farthest) {
        return false;
    }
    // Poppler takes the edges of filled rectangles to whole pixels (stroke adjustment).
    const Bounds<int> room = drawable(splash);
    paint(splash, { std::max(splashRound(left), room.left), std::max(splashRound(top), room.top),
                    std::min(splashRound(right), room.right), std::min(splashRound(bottom), room.bottom) });
    return true;
}

/// Fills what lies well inside of an outline, such as a box with round corners, and leaves the path with a hole there to
/// poppler. The same pixels: poppler fills each that an edge touches, those at the rim of the hole are only filled twice.
/// False where there is no such place.
bool InkDevice::fill_around_middle(GfxState *state, bool evenOdd)
{
    Splash *splash = getSplash();
    const double *matrix = splash->getMatrix();
    if (matrix[0] == 0 || matrix[1] != 0 || matrix[2] != 0 || matrix[3] == 0 || !covers_plainly(splash, state)) {
        return false;
    }
    const std::vector<Edge> around = edges(state->getPath(), matrix);
    const std::optional<Bounds<int>> inside = around.empty() ? std::nullopt : middle(around, drawable(splash));
    if (!inside) {
        return false;
    }
    const int turns = winding(around, (inside->left + inside->right) / 2.0, (inside->top + inside->bottom) / 2.0);
    if (std::abs(turns) != 1) {
        return false;
    }
    std::unique_ptr<GfxPath> whole(state->getPath()->copy());
    state->setPath(with_hole(whole.get(), *inside, turns > 0, matrix).release());
    if (evenOdd) {
        SplashOutputDev::eoFill(state);
    } else {
        SplashOutputDev::fill(state);
    }
    // A stroke of the same path may follow.
    state->setPath(whole.release());
    paint(splash, *inside);
    return true;
}

bool InkDevice::functionShadedFill(GfxState *state, GfxFunctionShading *shading)
{
    FunctionFill(*this, state, shading).fill();
    return true;
}

void InkDevice::drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                          bool interpolate, const int *maskColors, bool inlineImg)
{
    const auto plain = substitute(colors);
    SplashOutputDev::drawImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, maskColors,
                               inlineImg);
}

void InkDevice::drawMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                                bool interpolate, Stream *mask, int maskWidth, int maskHeight, bool maskInvert,
                                bool maskInterpolate)
{
    const auto plain = substitute(colors);
    SplashOutputDev::drawMaskedImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, mask,
                                     maskWidth, maskHeight, maskInvert, maskInterpolate);
}

void InkDevice::drawSoftMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height,
                                    GfxImageColorMap *colors, bool interpolate, Stream *mask, int maskWidth, int maskHeight,
                                    GfxImageColorMap *maskColors, bool maskInterpolate)
{
    const auto plain = substitute(colors);
    SplashOutputDev::drawSoftMaskedImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, mask,
                                         maskWidth, maskHeight, maskColors, maskInterpolate);
}
