import { lazyPart } from "../../parts/lazy-part.js";
import { useKeys } from "./use-keys.js";

const KeysDialog = lazyPart("keys", "the keys", async () => (await import("./keys-dialog.js")).KeysDialog);

/** Says that there are keys, and explains them. */
export function KeysButton() {
  const keys = useKeys();
  return (
    <>
      <button
        type="button"
        class="keys-button"
        aria-haspopup="dialog"
        onClick={() => {
          keys.openHelp(true);
        }}
      >
        {keys.areOn ? (
          <>
            <kbd>?</kbd> <span class="keys-words">for keys</span>
          </>
        ) : (
          "Keys off"
        )}
      </button>
      {keys.isHelpOpen && <KeysDialog keys={keys} />}
    </>
  );
}
