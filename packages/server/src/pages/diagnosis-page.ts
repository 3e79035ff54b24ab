import { escaped, page } from "./page.ts";

/** What is wrong with the database, and what to do; the browser asks again by itself. */
export function diagnosisPage(sentence: string): string {
  return page({
    title: "Lockstep cannot use its database",
    refreshSeconds: 3,
    body: `<p role="status">${withCode(escaped(sentence))}</p>
<p>Jobs are safe: they are in the database. This page checks again every three seconds and goes away by itself.</p>`,
  });
}

function withCode(text: string): string {
  return text.replace(/`([^`]+)`/g, "<code>$1</code>");
}
