// SPDX-License-Identifier: Apache-2.0
// What scripts say, in the page's language. The English text is the key, as in web/texts; {name} stands for a value.
// scripts/check-texts compares the keys with what the scripts say.

const german = {
  "Copy": "Kopieren",
  "Copy {what}": "{what} kopieren",
  "Copied": "Kopiert",
  "Ctrl+C": "Strg+C",
  "Marked. Press Control C to copy.": "Markiert. Drücke Steuerung C zum Kopieren.",
  "Suggestions": "Vorschläge",
  "No suggestions": "Keine Vorschläge",
  "1 suggestion": "1 Vorschlag",
  "{count} suggestions": "{count} Vorschläge",
  "Sheet": "Bogen",
  "Game": "Spiel",
  "Author": "Autor:in",
  "Tag": "Stichwort",
  "This file has {size} MB; at most {most} are taken.": "Diese Datei hat {size} MB; höchstens {most} werden angenommen.",
  "Sending: {percent} %": "Wird gesendet: {percent} %",
  "Sent; the file is being stored": "Gesendet; die Datei wird gespeichert",
  "Upload": "Hochladen",
  "Upload 1 file": "1 Datei hochladen",
  "Upload {count} files": "{count} Dateien hochladen",
  "{name} is chosen.": "{name} ist gewählt.",
  "{count} files are chosen.": "{count} Dateien sind gewählt.",
  "{name} is taken out.": "{name} ist herausgenommen.",
  "Remove {name}": "{name} herausnehmen",
  "Move {name} up": "{name} nach oben schieben",
  "Move {name} down": "{name} nach unten schieben",
  "{name}: place {place} of {count}.": "{name}: Platz {place} von {count}.",
  "{name} is out of the list.": "{name} steht nicht mehr in der Liste.",
  "Open {name}": "{name} öffnen",
  "Not sent": "Nicht gesendet",
  "One file could not be sent.": "Eine Datei konnte nicht gesendet werden.",
  "{count} files could not be sent.": "{count} Dateien konnten nicht gesendet werden.",
  "All files are sent.": "Alle Dateien sind gesendet.",
  "This did not work.": "Das hat nicht geklappt.",
  "The connection broke. Try again.": "Die Verbindung brach ab. Versuche es noch einmal.",
  "Reading the file": "Die Datei wird gelesen",
  "Importing the file": "Die Datei wird importiert",
  "Waiting for a moderator": "Wartet auf die Moderation",
  "Inspection failed": "Die Prüfung ist gescheitert",
};

const texts = { de: german }[document.documentElement.lang] ?? {};

/** `english` in the page's language, with `values` in the places of their names. */
export const say = (english, values = {}) =>
  (texts[english] ?? english).replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));

/** A number with its decimal mark. */
export const decimal = (number, digits) => number.toLocaleString(document.documentElement.lang, {
  minimumFractionDigits: digits, maximumFractionDigits: digits });
