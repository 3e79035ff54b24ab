import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export interface CrumbsProps {
  readonly to: string;
  readonly parent: string;
  readonly children: ReactNode;
}

/** The title of a page about one thing, after the page that lists them. */
export function Crumbs({ to, parent, children }: CrumbsProps) {
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <Link to={to} className="font-normal text-muted hover:underline">
        {parent}
      </Link>
      <span aria-hidden className="font-normal text-muted">
        /
      </span>
      <span className="min-w-0 break-words">{children}</span>
    </span>
  );
}
