import { type PDFContext, type PDFRef, PDFString } from "@cantoo/pdf-lib";

/** Of the font's size: how wide every letter is. */
export const letterWidth = 0.5;

/**
 * A letter that stands for two blanks. Programs that take text out of a PDF end a column at a wide gap, and give a table
 * column by column; a letter that fills the gap keeps the cells of a row together. One blank would end a word.
 */
export const wideBlank = "\ue000";

/**
 * A font that is never drawn and so needs no shapes: each code is the letter of the same number in Unicode. One of the
 * standard fonts would know some two hundred letters only.
 */
export function invisibleFont(context: PDFContext): PDFRef {
  const toUnicode = context.register(context.flateStream(identityMap));
  const descriptor = context.register(
    context.obj({
      Type: "FontDescriptor",
      FontName: "Invisible",
      // Fixed pitch, and nothing about its letters is standard.
      Flags: 5,
      FontBBox: [0, -200, letterWidth * 1_000, 800],
      ItalicAngle: 0,
      Ascent: 800,
      Descent: -200,
      CapHeight: 700,
      StemV: 80,
    }),
  );
  const letters = context.register(
    context.obj({
      Type: "Font",
      Subtype: "CIDFontType2",
      BaseFont: "Invisible",
      CIDSystemInfo: { Registry: PDFString.of("Adobe"), Ordering: PDFString.of("Identity"), Supplement: 0 },
      FontDescriptor: descriptor,
      DW: letterWidth * 1_000,
    }),
  );
  return context.register(
    context.obj({
      Type: "Font",
      Subtype: "Type0",
      BaseFont: "Invisible",
      Encoding: "Identity-H",
      DescendantFonts: [letters],
      ToUnicode: toUnicode,
    }),
  );
}

// One range may not go past its first byte, so there is one for each; private letters are left to the wide blank.
const ranges = Array.from({ length: 256 }, (_, high) => high.toString(16).padStart(2, "0").toUpperCase()).map(
  (high) => `<${high}00> <${high}FF> <${high}00>`,
);
ranges.splice(0xe0, 1);
const identityMap = `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
${[0, 100, 200]
  .map((from) => ranges.slice(from, from + 100))
  .map((some) => `${some.length} beginbfrange\n${some.join("\n")}\nendbfrange`)
  .join("\n")}
1 beginbfchar
<E000> <00200020>
endbfchar
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
