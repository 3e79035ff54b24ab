import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { text } from "../text/text.ts";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { noteDialog } from "./open-dialogs.ts";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** A palette draws its own head. */
  readonly isBare?: boolean;
}

/**
 * The browser's own dialog: it keeps the focus inside, makes the rest inert, closes on Escape and gives the focus
 * back, without a style element that a strict Content-Security-Policy would refuse.
 */
export function Dialog({ title, onClose, children, footer, isWide, isBare }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    const closed = dialog === null ? undefined : noteDialog(dialog);
    // The first thing to fill in or to press; the cross above it is reached by Shift Tab.
    const inside = ".dialog-body :is(input, select, textarea, button, a), .dialog-foot button";
    dialog?.querySelector<HTMLElement>(inside)?.focus();
    return () => {
      closed?.();
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; the click is the one beside it.
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      className={cn(
        "max-h-[min(46rem,calc(100dvh-2rem))] w-[calc(100vw-2rem)] animate-[rise_.12s_ease-out] overflow-hidden rounded-xl border bg-raised p-0 shadow-[var(--shadow-float)]",
        isWide ? "max-w-3xl" : "max-w-lg",
        isBare && "mt-[10vh]",
      )}
    >
      <div className="flex max-h-[inherit] flex-col">
        <div className={isBare ? "sr-only" : "flex items-center justify-between gap-4 border-b px-5 py-3.5"}>
          <h2 id={titleId} className="text-base font-semibold">
            {title}
          </h2>
          {!isBare && (
            <Button look="quiet" size="icon" aria-label={text.common.close} onClick={onClose}>
              <X size={18} aria-hidden />
            </Button>
          )}
        </div>
        <div className={cn("dialog-body min-h-0 flex-1 overflow-y-auto", !isBare && "px-5 py-4")}>
          {children}
        </div>
        {footer !== undefined && (
          <div className="dialog-foot flex flex-wrap items-center justify-end gap-2 border-t bg-page px-5 py-3">
            {footer}
          </div>
        )}
      </div>
    </dialog>
  );
}
