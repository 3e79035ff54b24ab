import { createCanvas } from "@napi-rs/canvas";
import { PDFDocument, StandardFonts } from "pdf-lib";

/** A PDF with a text layer, a sentence a page. */
export async function textPdf(pages: readonly string[]): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (const text of pages) pdf.addPage([595, 842]).drawText(text, { x: 60, y: 760, size: 14, font });
  return Buffer.from(await pdf.save());
}

/** The same with a last page that is only a picture of its lines, as a scanner makes it. */
export async function textAndScanPdf(page: string, scanned: readonly string[]): Promise<Buffer> {
  const pdf = await PDFDocument.load(await textPdf([page]));
  // Half a page at 200 dots per inch: enough to read, and quicker.
  const canvas = createCanvas(1_100, 500);
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "black";
  context.font = "40px serif";
  for (const [index, line] of scanned.entries()) context.fillText(line, 80, 120 + 70 * index);
  const image = await pdf.embedPng(canvas.toBuffer("image/png"));
  const [width, height] = [canvas.width * 0.36, canvas.height * 0.36];
  pdf.addPage([width, height]).drawImage(image, { x: 0, y: 0, width, height });
  return Buffer.from(await pdf.save());
}

/** Whole, and without a single page. */
export async function zeroPagePdf(): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  return Buffer.from(await pdf.save({ addDefaultPage: false }));
}

/** As it is when a password was set: everything is there, and nothing can be read. */
export async function encryptedPdf(): Promise<Buffer> {
  const encryption = `<</Filter/Standard/V 1/R 2/O<${"41".repeat(32)}>/U<${"42".repeat(32)}>/P -4>>`;
  const pdf = await PDFDocument.load(await textPdf(["secret"]));
  const text = Buffer.from(await pdf.save({ useObjectStreams: false })).toString("latin1");
  return Buffer.from(
    text.replace(
      "trailer\n<<",
      `trailer\n<<\n/Encrypt ${encryption}\n/ID[<${"43".repeat(16)}><${"43".repeat(16)}>]`,
    ),
    "latin1",
  );
}
