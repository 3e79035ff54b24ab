import { escaped } from "../pages/page.ts";
import { labelOf } from "./schema-form.ts";

// Below this, a value is shown as JSON.
const deepest = 3;

/** A value of a job as a person reads it: an object by its keys, a list by its items. */
export function shownValue(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "<p>–</p>";
  if (typeof value === "boolean") return `<p>${value ? "Yes" : "No"}</p>`;
  if (typeof value !== "object") return `<p>${escaped(String(value))}</p>`;
  const entries = Object.entries(value);
  if (entries.length === 0) return "<p>–</p>";
  if (depth === deepest) return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
  if (Array.isArray(value)) {
    return `<ol>${value.map((item) => `<li>${shownValue(item, depth + 1)}</li>`).join("")}</ol>`;
  }
  const rows = entries.map(
    ([name, part]) => `<div><dt>${escaped(labelOf(name))}</dt><dd>${shownValue(part, depth + 1)}</dd></div>`,
  );
  return `<dl>${rows.join("")}</dl>`;
}
