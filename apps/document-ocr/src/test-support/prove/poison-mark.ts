/** A comment at the end of a PDF that the proof's workers die of. */
export const poisonMark = "%this document kills its worker";
