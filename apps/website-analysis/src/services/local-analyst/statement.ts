/**
 * Something said of a page, with the words of the page that show it. High: the page says it in a form made for machines, or in two places.
 * Medium: it says so once. What would be less than that is not said.
 */
export interface Statement<Id extends string = string> {
  readonly id: Id;
  readonly text: string;
  readonly evidence: string;
  readonly confidence: "high" | "medium";
}

const longestEvidence = 240;

export function evidenceOf(text: string): string {
  return text.length <= longestEvidence
    ? text
    : `${text.slice(0, longestEvidence).replace(/\s+\S*$/, "")} …`.toWellFormed();
}
