import { useMutation } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { DeletedRows, PruneRule } from "../../../api/storage-views.js";
import { read } from "../../server/call-server.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { describeDeleted, pruneRuleOf } from "./prune-rule.js";
import { TextField } from "./text-field.js";
import { useChange } from "./use-change.js";

interface PruneProps {
  /** Absent for all threads. */
  readonly threadId?: string | undefined;
}

/** Deletes old checkpoints, after it has shown what that frees. */
export function PruneAction({ threadId }: PruneProps) {
  return <ActionButton label="Prune…" action="delete" dialog={PruneDialog} subject={{ threadId }} />;
}

function PruneDialog({ threadId, onClose }: PruneProps & { readonly onClose: () => void }) {
  const [keepLast, setKeepLast] = useState("10");
  const [days, setDays] = useState("");
  const check = useMutation({ mutationFn: (asked: PruneRule) => read("checkPrune", asked) });
  const change = useChange("prune");
  const rule = pruneRuleOf(threadId, keepLast, days);
  // Figures of another rule say nothing about this one.
  const ask = (set: (text: string) => void) => (text: string) => {
    set(text);
    check.reset();
    change.reset();
  };
  return (
    <ActionDialog
      title={threadId === undefined ? "Prune all threads" : "Prune this thread"}
      sentence="Old checkpoints are deleted for good, with the values that only they need; the newest checkpoint of each namespace stays, so that every thread can go on."
      onClose={onClose}
    >
      {(close) =>
        change.data === undefined ? (
          <ActionForm
            submit={check.data === undefined ? "Show what is deleted" : "Prune"}
            isReady={rule !== undefined && (check.data?.checkpoints !== 0 || check.data.values !== 0)}
            isPending={check.isPending || change.isPending}
            error={change.error ?? check.error}
            onSubmit={() => {
              if (rule === undefined) return;
              if (check.data === undefined) check.mutate(rule);
              else change.mutate(rule);
            }}
            onCancel={close}
          >
            <TextField
              type="number"
              label="How many of the newest checkpoints of each namespace to keep"
              value={keepLast}
              onChange={ask(setKeepLast)}
            />
            <TextField
              type="number"
              label="Keep all checkpoints younger than this many days"
              value={days}
              onChange={ask(setDays)}
            />
            <p role="status">
              {check.data !== undefined && <>This deletes {describeDeleted(check.data)}.</>}
            </p>
          </ActionForm>
        ) : (
          <PruneResult deleted={change.data} onClose={close} />
        )
      }
    </ActionDialog>
  );
}

interface PruneResultProps {
  readonly deleted: DeletedRows;
  readonly onClose: () => void;
}

function PruneResult({ deleted, onClose }: PruneResultProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    button.current?.focus();
  }, []);
  return (
    <div class="action-form">
      <p role="status">Deleted {describeDeleted(deleted)}.</p>
      <div class="action-buttons">
        <button ref={button} type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}
