/** The pipeline that carries an entry through its stages. */
export const processEntryName = "process-entry";

/** There are no accounts here: whoever sees the page sees all entries, so they belong to one owner. */
export const entryOwner = "entries";
