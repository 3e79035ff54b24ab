import { type ReactNode, useState } from "react";
import { formatFull } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isDanger?: boolean;
  readonly isBusy?: boolean;
  /** How many jobs it is about: from 1,000 on the number is to be typed. */
  readonly count?: number;
}

const typedFrom = 1_000;

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, onConfirm, onClose, isDanger, isBusy, count = 0 } = props;
  const [typed, setTyped] = useState("");
  const mustType = count >= typedFrom;
  const isReady = !mustType || typed.replace(/\D/g, "") === String(count);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{text.common.back}</Button>
          <Button
            look={isDanger ? "danger" : "primary"}
            disabled={!isReady || isBusy}
            aria-busy={isBusy || undefined}
            onClick={onConfirm}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {children}
        {mustType && (
          <label className="block">
            <span className="mb-1 block font-medium">{text.bulk.typeToConfirm(formatFull(count))}</span>
            <input
              className="field w-40 font-mono"
              inputMode="numeric"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
      </div>
    </Dialog>
  );
}
