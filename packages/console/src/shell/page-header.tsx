import { type ReactNode, useEffect } from "react";
import { text } from "../text/text.ts";

export interface PageHeaderProps {
  readonly title: ReactNode;
  /** What the browser's tab says; the title, when that is plain. */
  readonly tabTitle?: string;
  readonly children?: ReactNode;
  readonly below?: ReactNode;
}

/** The one h1 of a page: it gives the tab its title and takes the focus after a navigation. */
export function PageHeader({ title, tabTitle, children, below }: PageHeaderProps) {
  const name = tabTitle ?? (typeof title === "string" ? title : text.product);
  useEffect(() => {
    document.title = text.shell.pageTitle(name);
  }, [name]);
  return (
    <header className="mb-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold tracking-tight">
          {title}
        </h1>
        {children !== undefined && <div className="flex flex-wrap items-center gap-2">{children}</div>}
      </div>
      {below !== undefined && <div className="mt-1 text-muted">{below}</div>}
    </header>
  );
}
