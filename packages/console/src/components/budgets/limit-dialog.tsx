import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { budgetKeys, type NewLimit, setBudgetLimit } from "../../api/budgets-api.ts";
import type { Budget } from "../../api/contract.ts";
import { jobKeys } from "../../api/jobs-api.ts";
import { formatAmount } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toasts.ts";
import { tellFailure } from "../shared/tell-failure.ts";
import { scopeName } from "./scope-name.ts";

export interface LimitDialogProps {
  readonly budget: Budget;
  /** Whose limit it is; null: everyone's who has none of their own. */
  readonly scope: string | null;
  readonly limit: number;
  /** Whether somebody has set it, so that it can be taken back. */
  readonly isSet: boolean;
  readonly onClose: () => void;
}

/** Asks for a new limit, and why. */
export function LimitDialog({ budget, scope, limit, isSet, onClose }: LimitDialogProps) {
  const [typed, setTyped] = useState(String(limit));
  const [reason, setReason] = useState("");
  const [isChecked, setChecked] = useState(false);
  const ids = { form: useId(), complaint: useId(), hint: useId() };
  const value = amountIn(typed);
  const isWrong = isChecked && value === null;
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (wanted: number | null) => {
      const body: NewLimit = { limit: wanted };
      const why = reason.trim();
      return setBudgetLimit(budget.name, {
        ...body,
        ...(scope !== null && { scope }),
        ...(why !== "" && { reason: why }),
      });
    },
    onSuccess: ({ changed }, wanted) => {
      const done = wanted === null ? text.budgets.takenBackToast : text.budgets.setToast;
      toast({ kind: "done", message: changed ? done : text.budgets.unchangedToast });
      onClose();
    },
    onError: tellFailure,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: budgetKeys.all }),
        client.invalidateQueries({ queryKey: jobKeys.all }),
      ]),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (value !== null) change.mutate(value);
  };
  return (
    <Dialog
      title={text.budgets.changeTitle(budget.name, scope === null ? null : scopeName(budget, scope))}
      onClose={onClose}
      footer={
        <>
          {isSet && (
            <Button isBusy={change.isPending} onClick={() => change.mutate(null)}>
              {text.budgets.takeBack}
            </Button>
          )}
          <Button onClick={onClose}>{text.common.back}</Button>
          <Button look="primary" type="submit" form={ids.form} isBusy={change.isPending}>
            {text.budgets.set}
          </Button>
        </>
      }
    >
      <form id={ids.form} noValidate className="space-y-4" onSubmit={submit}>
        <label className="block">
          <span className="mb-1 block font-medium break-words">{text.budgets.newLimit(budget.unit)}</span>
          <input
            className="field w-full font-mono"
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? ids.complaint : undefined}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {isWrong && (
          <p id={ids.complaint} role="alert" className="text-table text-failed">
            {text.budgets.notANumber}
          </p>
        )}
        <label className="block">
          <span className="mb-1 block font-medium">{text.budgets.reason}</span>
          <input
            className="field w-full"
            maxLength={500}
            value={reason}
            aria-describedby={ids.hint}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <p id={ids.hint} className="text-table text-muted">
          {text.budgets.reasonHint} {scope === null ? text.budgets.changeForAll : text.budgets.changeForOne} (
          {text.budgets.inCode(text.budgets.amount(formatAmount(budget.definedLimit), budget.unit))})
        </p>
      </form>
    </Dialog>
  );
}

/** A number as people type it, with or without commas; null if it is none. */
function amountIn(typed: string): number | null {
  const plain = typed.replace(/[,\s]/g, "");
  const value = Number(plain);
  return /^\d+(\.\d+)?$/.test(plain) && value <= 1e15 ? value : null;
}
