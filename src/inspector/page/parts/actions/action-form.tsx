import type { ComponentChildren } from "preact";
import { Failure } from "../failure.js";

interface ActionFormProps {
  /** What the button that acts says. */
  readonly submit: string;
  readonly isReady: boolean;
  readonly isPending: boolean;
  /** Why the action failed. */
  readonly error: unknown;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children?: ComponentChildren;
}

/** The fields of an action, its error, and its buttons. */
export function ActionForm({
  submit,
  isReady,
  isPending,
  error,
  onSubmit,
  onCancel,
  children,
}: ActionFormProps) {
  return (
    <form
      class="action-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isPending) onSubmit();
      }}
    >
      {children}
      {error !== null && error !== undefined && <Failure error={error} />}
      <div class="action-buttons">
        <button type="submit" class="primary" disabled={!isReady || isPending}>
          {submit}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
