// Texts from a recording are foreign: they may have control characters, marks that turn the direction of writing, or a
// million letters. They reach the document only as text nodes, after this.

// C0, DEL, C1, the separators of lines and paragraphs, and all marks of direction. Line ends and tabs are among them.
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function written(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text with everything invisible written as \uXXXX. */
export function visible(text: string): string {
  return text.replace(hidden, written);
}

/** The same, of at most `most` letters: the end is cut. */
export function bounded(text: string, most = 400): string {
  return text.length > most
    ? `${visible(text.slice(0, most))}… (${text.length.toLocaleString("en")} letters)`
    : visible(text);
}
