import { PDFiumModule } from "@hyzyla/pdfium";

/** The functions of PDFium that are used here, as its WebAssembly build names them. Handles and pointers are numbers. */
export interface Pdfium {
  readonly wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  readonly HEAPU8: Uint8Array;
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_LoadMemDocument(pointer: number, size: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetSecurityHandlerRevision(document: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetPageSizeByIndexF(document: number, index: number, size: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDF_PageToDevice(
    page: number,
    startX: number,
    startY: number,
    sizeX: number,
    sizeY: number,
    rotate: number,
    pageX: number,
    pageY: number,
    deviceX: number,
    deviceY: number,
  ): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, l: number, b: number, r: number, t: number): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  _FPDFText_IsHyphen(textPage: number, index: number): number;
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetLooseCharBox(textPage: number, index: number, rectangle: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, buffer: number, stride: number): number;
  _FPDFBitmap_FillRect(
    b: number,
    left: number,
    top: number,
    width: number,
    height: number,
    color: number,
  ): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    startX: number,
    startY: number,
    sizeX: number,
    sizeY: number,
    rotate: number,
    flags: number,
  ): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
}

export async function loadPdfium(): Promise<Pdfium> {
  const options = {
    // PDFium goes on without the memory it was refused, and leaves out what it was for. So it ends here.
    printErr(text: string) {
      if (/grow|memory/.test(text)) throw new Error(`PDFium is out of memory: ${text}`);
    },
  };
  const pdfium = (await PDFiumModule(options as object)) as unknown as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig(0);
  return pdfium;
}

/** Lends memory inside PDFium for the length of a call. The view is created each time, since the memory moves when it grows. */
export function withMemory<T>(
  pdfium: Pdfium,
  bytes: number,
  use: (pointer: number, view: () => DataView) => T,
): T {
  const pointer = pdfium.wasmExports.malloc(bytes);
  if (pointer === 0) throw new Error(`PDFium is out of memory: it could not allocate ${bytes} bytes.`);
  try {
    return use(pointer, () => new DataView(pdfium.HEAPU8.buffer, pointer, bytes));
  } finally {
    pdfium.wasmExports.free(pointer);
  }
}
