import { type CorpusDocument, corpusDocuments, type DocumentKind } from "../../corpus/documents.ts";
import type { Document } from "./proving-ground.ts";

const corpus = corpusDocuments();

/** All documents of the corpus, or those of a kind. */
export function documentsOf(kind?: DocumentKind): Promise<Document[]> {
  return Promise.all(corpus.filter((document) => kind === undefined || document.kind === kind).map(made));
}

async function made({ name, make }: CorpusDocument): Promise<Document> {
  return { name: `${name}.pdf`, bytes: await make() };
}
