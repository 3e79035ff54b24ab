import { Link } from "@tanstack/react-router";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { text } from "../../text/text.ts";
import type { Attention } from "./attention.ts";

const shownAtMost = 6;

/** What needs a person's attention, or that nothing does. */
export function AttentionStrip({ attention }: { readonly attention: readonly Attention[] }) {
  if (attention.length === 0) {
    return (
      <p className="flex items-center gap-2 text-table text-completed">
        <CircleCheck size={16} aria-hidden /> {text.overview.allWell}
      </p>
    );
  }
  return (
    <section
      aria-label={text.overview.attention(attention.length)}
      className="panel border-retrying/60 px-4 py-2.5"
    >
      <h2 className="flex items-center gap-2 font-medium text-retrying">
        <TriangleAlert size={16} aria-hidden /> {text.overview.attention(attention.length)}
      </h2>
      <ul className="mt-1 flex flex-wrap gap-x-6 gap-y-0.5 ps-6">
        {attention.slice(0, shownAtMost).map(({ sentence, to }) => (
          <li key={sentence}>
            <Link to={to} className="underline decoration-line underline-offset-4 hover:decoration-current">
              {sentence}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
