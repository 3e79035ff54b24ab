import type { ButtonHTMLAttributes, ReactNode } from "react";
import { cn } from "./cn.ts";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: "plain" | "primary" | "danger" | "quiet";
  readonly size?: "normal" | "small" | "icon";
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export const buttonLooks = {
  plain: "border-edge/60 bg-panel text-ink hover:bg-well",
  primary: "border-transparent bg-primary text-on-primary hover:bg-primary-strong",
  danger: "border-transparent bg-danger text-on-danger hover:opacity-90",
  quiet: "border-transparent bg-transparent text-muted hover:bg-well hover:text-ink",
};

export const buttonSizes = {
  normal: "min-h-8.5 gap-1.5 px-3 text-sm",
  small: "min-h-7 gap-1 px-2 text-table",
  icon: "size-8.5 shrink-0 justify-center",
};

export const buttonBase =
  "inline-flex max-w-full items-center rounded-md border text-start font-medium transition-colors duration-100 disabled:opacity-50 sm:shrink-0 sm:whitespace-nowrap";

export function Button({
  look = "plain",
  size = "normal",
  isBusy,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      disabled={isBusy}
      className={cn(buttonBase, buttonLooks[look], buttonSizes[size], className)}
      {...rest}
    >
      {children}
    </button>
  );
}
