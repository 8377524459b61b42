import { useState } from "preact/hooks";
import { linkTo } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { TextField } from "./text-field.js";
import { useChange } from "./use-change.js";

interface DeleteProps {
  readonly threadId: string;
}

/** Deletes a thread. */
export function DeleteAction({ threadId }: DeleteProps) {
  return <ActionButton label="Delete…" action="delete" dialog={DeleteDialog} subject={{ threadId }} />;
}

function DeleteDialog({ threadId, onClose }: DeleteProps & { readonly onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const change = useChange("deleteThread", () => {
    navigate(linkTo("threads"));
  });
  return (
    <ActionDialog
      title="Delete this thread"
      sentence="All its checkpoints, values and pending writes are deleted for good, in all namespaces; other threads and the memory stay."
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit="Delete for good"
          isReady={typed === threadId}
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => {
            change.mutate({ threadId }, { onSuccess: close });
          }}
          onCancel={close}
        >
          <TextField
            label={
              <>
                Type the id of the thread, <bdi class="mono">{threadId}</bdi>
              </>
            }
            value={typed}
            onChange={setTyped}
          />
        </ActionForm>
      )}
    </ActionDialog>
  );
}
