import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { text } from "../text/text.ts";
import { Button } from "./button.tsx";

export interface CopyButtonProps {
  readonly value: string | (() => string);
  readonly label: string;
  readonly children?: string;
}

export function CopyButton({ value, label, children }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={isCopied ? text.common.copied : label}
      title={label}
      onClick={() => {
        void copy(typeof value === "string" ? value : value()).then(() => setCopied(true));
      }}
    >
      <Icon size={14} aria-hidden />
      {children}
    </Button>
  );
}

/** The clipboard API is there only over HTTPS and on localhost; the older way works everywhere. */
export async function copy(value: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(value);
    return;
  }
  const area = document.createElement("textarea");
  area.value = value;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
