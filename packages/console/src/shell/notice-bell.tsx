import { useNavigate } from "@tanstack/react-router";
import { Bell } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { toasts } from "../ui/toasts.ts";

/** Toasts go away; here they can be read again. */
export function NoticeBell() {
  const past = useSyncExternalStore(toasts.subscribe, toasts.past, toasts.past);
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Button
        look="quiet"
        size="icon"
        aria-label={text.shell.notices(past.length)}
        onClick={() => setOpen(true)}
      >
        <Bell size={17} aria-hidden />
      </Button>
      {isOpen && (
        <Dialog title={text.shell.notices(0)} onClose={() => setOpen(false)}>
          {past.length === 0 && <p className="py-6 text-center text-muted">{text.shell.noNotices}</p>}
          <ul className="divide-y">
            {past.map((each) => (
              <li key={each.id} className="flex items-start justify-between gap-3 py-2.5">
                <div className="min-w-0">
                  <p className="font-medium">{each.message}</p>
                  {each.detail !== undefined && <p className="text-table text-muted">{each.detail}</p>}
                  <p className="text-xs text-muted">
                    <RelativeTime at={each.at.toISOString()} />
                  </p>
                </div>
                {each.action !== undefined && (
                  <Button
                    size="small"
                    onClick={() => {
                      setOpen(false);
                      void navigate({ to: each.action?.to ?? "/" });
                    }}
                  >
                    {each.action.label}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
