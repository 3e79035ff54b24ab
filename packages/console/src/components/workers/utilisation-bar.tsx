import { text } from "../../text/text.ts";

/** How many of all processors are at work. */
export function UtilisationBar({ busy, all }: { readonly busy: number; readonly all: number }) {
  const share = all === 0 ? 0 : busy / all;
  return (
    <span
      role="img"
      aria-label={text.overview.poolSentence(busy, all)}
      className="mb-1 block h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <span
        className="bar-fill block h-full rounded-full bg-processing transition-[width] duration-300"
        style={{ width: `${share * 100}%` }}
      />
    </span>
  );
}
