import { text } from "../text/text.ts";

/** What was hidden in the job that this one is made from, and has to be given again. */
export function HiddenFields({ pointers }: { readonly pointers: readonly string[] }) {
  if (pointers.includes(""))
    return <p className="rounded-lg border bg-well px-3 py-2">{text.newJob.wholeLeftOut}</p>;
  return (
    <div className="rounded-lg border bg-well px-3 py-2">
      <p>{text.newJob.leftOut}</p>
      <ul className="max-h-24 overflow-y-auto font-mono text-xs break-all">
        {pointers.map((pointer) => (
          <li key={pointer}>{pointer}</li>
        ))}
      </ul>
    </div>
  );
}
