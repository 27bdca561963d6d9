// SPDX-License-Identifier: Apache-2.0
// Puts a character's ink on the pages of its sheet: a request with the original comes in on standard input, the new PDF goes
// out on standard output. The ink is drawn first; the original, which a stranger made, is read behind the reader's walls.
#include "FormFields.h"
#include "InkDrawing.h"
#include "PageMerging.h"
#include "Request.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>
#include <unistd.h>

#include "Confinement.h"

namespace {

constexpr const char *version = "1.0.0";
constexpr const char *usage = "usage: sheet-export < REQUEST | cat > PDF\n"
                              "       sheet-export --read-fields < PDF | cat > JSON\n"
                              "       sheet-export --help | --version\n\n"
                              "Puts drawings on the pages of a PDF, in a sandbox. `sheets export CHARACTER --pdf FILE`\n"
                              "starts it.\n";
constexpr size_t most_notes = 50;
constexpr size_t most_bytes = size_t {512} << 20;

std::string all_of_input()
{
    std::string bytes;
    char piece[1 << 16];
    while (true) {
        const ssize_t count = read(STDIN_FILENO, piece, sizeof piece);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            throw sheet_export::Failure("Standard input cannot be read.");
        }
        if (count == 0) {
            return bytes;
        }
        bytes.append(piece, static_cast<size_t>(count));
        if (bytes.size() > most_bytes) {
            throw sheet_export::Failure("The drawings and the sheet are larger than any that is written.");
        }
    }
}

void write_all(const std::string &bytes)
{
    for (size_t place = 0; place < bytes.size();) {
        const ssize_t count = write(STDOUT_FILENO, bytes.data() + place, bytes.size() - place);
        if (count < 0 && errno != EINTR) {
            throw sheet_export::Failure("Standard output cannot be written: it has to be a pipe.");
        }
        place += count > 0 ? static_cast<size_t>(count) : 0;
    }
}

void run()
{
    const std::string bytes = all_of_input();
    const sheet_export::Request request = sheet_export::read_request(bytes);
    const sheet_export::InkDocument ink = sheet_export::draw(request);
    if (const char *failed = confine()) {
        std::fprintf(stderr, "The sandbox cannot be put up: %s.\n", failed);
        _exit(confinement_exit_unavailable);
    }
    std::vector<std::string> notes = ink.leftOut;
    const std::string made = sheet_export::merge(request, ink, notes);
    // Whoever started this reads them when the PDF is out: they have to fit into a pipe.
    for (size_t place = 0; place < notes.size() && place < most_notes; place++) {
        std::fprintf(stderr, "%s\n", notes[place].c_str());
    }
    if (notes.size() > most_notes) {
        std::fprintf(stderr, "And %zu more of the kind.\n", notes.size() - most_notes);
    }
    std::fflush(stderr);
    write_all(made);
}

/// Tells what a form holds; not even its first byte is read before the walls stand.
void read_fields()
{
    if (const char *failed = confine()) {
        std::fprintf(stderr, "The sandbox cannot be put up: %s.\n", failed);
        _exit(confinement_exit_unavailable);
    }
    write_all(sheet_export::fields_as_json(all_of_input()));
}

} // namespace

int main(int count, char **arguments)
{
    if (count == 2 && !std::strcmp(arguments[1], "--version")) {
        std::printf("sheet-export %s\n", version);
        return 0;
    }
    if (count == 2 && !std::strcmp(arguments[1], "--help")) {
        std::fputs(usage, stdout);
        return 0;
    }
    const bool isReading = count == 2 && !std::strcmp(arguments[1], "--read-fields");
    if (count > 1 && !isReading) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        isReading ? read_fields() : run();
    } catch (const sheet_export::Failure &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    } catch (const std::bad_alloc &) {
        std::fputs("There is not enough memory for this sheet.\n", stderr);
        return confinement_exit_memory;
    } catch (const std::exception &) {
        std::fputs("The sheet's file is too damaged to be written anew.\n", stderr);
        return 1;
    }
    return 0;
}
