import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { text } from "../text/text.ts";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { useTopDialog } from "./open-dialogs.ts";
import { dismiss, type Toast, toasts } from "./toasts.ts";

const icons = { done: CircleCheck, failed: CircleAlert, note: Info };
const colours = { done: "text-completed", failed: "text-failed", note: "text-primary" };

/** Messages lie before everything, also before an open dialog: within it they can be read and pressed. */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.shown, toasts.shown);
  return createPortal(
    <section
      aria-label={text.shell.messages}
      className="pointer-events-none fixed end-4 bottom-4 z-50 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2"
    >
      {shown.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </section>,
    useTopDialog() ?? document.body,
  );
}

function ToastCard({ toast }: { readonly toast: Toast }) {
  const Icon = icons[toast.kind];
  return (
    <div
      role={toast.kind === "failed" ? "alert" : undefined}
      className="pointer-events-auto flex animate-[rise_.15s_ease-out] items-start gap-3 rounded-lg border bg-raised py-2.5 pe-2 ps-3.5 shadow-[var(--shadow-float)]"
    >
      <Icon size={18} aria-hidden className={cn("mt-1 shrink-0", colours[toast.kind])} />
      <div className="min-w-0 flex-1 py-0.5">
        <p className="font-medium">{toast.message}</p>
        {toast.detail !== undefined && <p className="text-table text-muted">{toast.detail}</p>}
      </div>
      {toast.action !== undefined && (
        <Link
          to={toast.action.to}
          onClick={() => dismiss(toast.id)}
          className="rounded px-2 py-1.5 font-medium text-primary underline-offset-2 hover:underline"
        >
          {toast.action.label}
        </Link>
      )}
      <Button look="quiet" size="small" aria-label={text.common.dismiss} onClick={() => dismiss(toast.id)}>
        <X size={16} aria-hidden />
      </Button>
    </div>
  );
}
