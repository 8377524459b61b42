import { useMutation } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { ActionDialog, ActionForm, type Closing, CloseButton } from "../../../parts/actions/action-dialog.js";
import { TextField } from "../../../parts/actions/fields.js";
import { countText } from "../../../parts/number-texts.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { typed } from "../../../parts/typed-text.js";
import { useOverview } from "../../../server/overview-context.js";
import { type OneByOne, useOneByOne } from "../../../server/use-one-by-one.js";
import { useRead } from "../../../server/use-read.js";
import { findPerson, type PersonData } from "./find-person.js";
import { ItemSumsList, NamespaceName } from "./item-sums-list.js";
import { type Erasable, erase, type ErasedOutcome } from "./erase.js";
import "./erase.css";

/** Erases what is stored of a person: threads, by their metadata, and items, by the labels of their namespaces. */
export function ErasePersonDialog({ onClose }: Closing) {
  const { hasMemory } = useOverview();
  const suggestions = useRead("metadataSuggestions", {});
  const finding = useMutation({ mutationFn: findPerson });
  const work = useOneByOne<Erasable, ErasedOutcome>();
  const [targets, setTargets] = useState<readonly Erasable[]>([]);
  const [id, setId] = useState("");
  const [key, setKey] = useState<string>();
  const names = (suggestions.data?.suggestions ?? []).map(({ name }) => name);
  const shownKey = key ?? names.find((name) => NAMES_A_PERSON.test(name)) ?? "";
  return (
    <ActionDialog
      title="Erase a person"
      sentence={
        <>
          The threads and items of a person are deleted for good, after you have seen which. Archives,
          exports, backups and results in a cache stay. A run that is under way may store its thread again:
          end it first.
        </>
      }
      onClose={onClose}
    >
      {(close) => {
        if (work.phase !== undefined) return <Progress {...{ work, targets, close }} />;
        const found = finding.data;
        if (found !== undefined)
          return (
            <Found
              {...{ id, found, close }}
              onErase={(chosen) => {
                setTargets(chosen);
                void work.start(chosen, erase);
              }}
              onBack={finding.reset}
            />
          );
        return (
          <ActionForm
            submit="Show what there is"
            isReady={id !== "" && (suggestions.data !== undefined || key !== undefined)}
            sending={[finding]}
            onSubmit={() => {
              finding.mutate({ id, key: shownKey, hasStore: hasMemory });
            }}
            onCancel={close}
          >
            <TextField label="Id of the person, as the application stores it" value={id} onChange={setId} />
            <KeyField {...{ names }} value={shownKey} onChange={setKey} />
            {finding.isPending && <Loading what="what there is of the person" />}
          </ActionForm>
        );
      }}
    </ActionDialog>
  );
}

/** Names that the metadata most often has for the id of a person. */
const NAMES_A_PERSON = /user|customer|owner|person|member|account|email/i;

interface KeyFieldProps {
  /** The keys that the metadata of some threads has. */
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function KeyField({ names, value, onChange }: KeyFieldProps) {
  const id = useId();
  return (
    <label class="action-field">
      <span>Key of the metadata that says whose a thread is; empty for no threads</span>
      <input
        list={`${id}-names`}
        autocomplete="off"
        spellcheck={false}
        placeholder="user_id"
        value={value}
        aria-describedby={`${id}-hint`}
        onInput={typed(onChange)}
      />
      <datalist id={`${id}-names`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span id={`${id}-hint`} class="dim">
        {value === ""
          ? "The metadata of the latest threads has no key that looks like a person’s. The option metadataFromConfig of the saver stores one."
          : "Items are found by namespaces that have the id as a label."}
      </span>
    </label>
  );
}

/** How many ids of threads are shown. */
const SHOWN_THREADS = 5;

interface FoundProps {
  readonly id: string;
  readonly found: PersonData;
  readonly close: () => void;
  readonly onErase: (chosen: readonly Erasable[]) => void;
  readonly onBack: () => void;
}

/** Shows what there is of a person, and asks what of it to erase. */
function Found({ id, found, close, onErase, onBack }: FoundProps) {
  const { threadIds, namespaces } = found;
  const [repeated, setRepeated] = useState("");
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const choose = (name: string, isChosen: boolean): void => {
    const others = [...kept].filter((each) => each !== name);
    setKept(new Set(isChosen ? others : [...others, name]));
  };
  const chosen = {
    threadIds: kept.has(THREADS) ? [] : threadIds,
    namespaces: namespaces.filter((sums) => !kept.has(nameOf(sums))),
  };
  const items = chosen.namespaces.reduce((all, sums) => all + sums.items, 0);
  const counts = `${countText(chosen.threadIds.length, "thread")} and ${countText(items, "item")}`;
  if (threadIds.length + namespaces.length === 0) {
    return (
      <div class="action-form">
        <p role="status">
          There is nothing of <bdi class="mono">{id}</bdi>: no thread has it in its metadata, and no namespace
          as a label.
        </p>
        <div class="action-buttons">
          <button type="button" class="primary" onClick={onBack}>
            Look for another id
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    );
  }
  return (
    <ActionForm
      submit={`Erase ${counts}`}
      isReady={repeated === id && chosen.threadIds.length + items > 0}
      sending={[]}
      onSubmit={() => {
        onErase([...chosen.threadIds.map((threadId) => ({ threadId })), ...chosen.namespaces]);
      }}
      onCancel={close}
    >
      <div role="status" class="erase-found">
        {threadIds.length > 0 && (
          <div>
            <Box name={THREADS} {...{ kept, choose }}>
              {countText(threadIds.length, "thread")}
              {found.hasMoreThreads && " at first, and more afterwards"}
            </Box>{" "}
            <ThreadIds ids={threadIds} />
          </div>
        )}
        <ItemSumsList
          {...{ namespaces }}
          hasMore={found.hasMoreNamespaces}
          before={(sums) => (
            <Box name={nameOf(sums)} {...{ kept, choose }}>
              <NamespaceName {...sums} />
            </Box>
          )}
        />
      </div>
      <TextField
        label={
          <>
            Type the id of the person again, <bdi class="mono">{id}</bdi>
          </>
        }
        value={repeated}
        onChange={setRepeated}
      />
    </ActionForm>
  );
}

/** No namespace has this name, which is empty. */
const THREADS = "";

function nameOf({ namespace }: { readonly namespace: readonly string[] }): string {
  return namespace.join(".");
}

interface BoxProps {
  readonly name: string;
  readonly kept: ReadonlySet<string>;
  readonly choose: (name: string, isChosen: boolean) => void;
  readonly children: ComponentChildren;
}

function Box({ name, kept, choose, children }: BoxProps) {
  return (
    <label class="erase-box">
      <input
        type="checkbox"
        checked={!kept.has(name)}
        onChange={({ currentTarget }) => {
          choose(name, currentTarget.checked);
        }}
      />
      <span>{children}</span>
    </label>
  );
}

function ThreadIds({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span class="dim">
      {ids.slice(0, SHOWN_THREADS).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <bdi class="mono">{id}</bdi>
        </span>
      ))}
      {ids.length > SHOWN_THREADS && ", …"}
    </span>
  );
}

interface ProgressProps {
  readonly work: OneByOne<Erasable, ErasedOutcome>;
  /** What is erased. */
  readonly targets: readonly Erasable[];
  readonly close: () => void;
}

/** Says how far the erasure is, and what came of it. */
function Progress({ work: { phase, outcomes, stop }, targets, close }: ProgressProps) {
  const erased = [...outcomes].flatMap(([target, outcome]) =>
    "items" in outcome ? { target, ...outcome } : [],
  );
  const failed = [...outcomes].flatMap(([target, outcome]) =>
    "error" in outcome ? { target, ...outcome } : [],
  );
  const threads = erased.filter(({ target }) => "threadId" in target).length;
  const items = erased.reduce((all, outcome) => all + outcome.items, 0);
  return (
    <div class="action-form">
      <progress class="action-progress" max={targets.length} value={outcomes.size} aria-label="Erased" />
      <p role="status">
        {phase === "running"
          ? "Erasing: "
          : outcomes.size < targets.length
            ? "Stopped. Erased: "
            : "Erased: "}
        {countText(threads, "thread")} and {countText(items, "item")}
        {failed.length > 0 && `. ${countText(failed.length, "deletion")} failed`}
      </p>
      {failed.map(({ target, error }, index) => (
        <div key={index}>
          <p>
            {"threadId" in target ? <bdi class="mono">{target.threadId}</bdi> : <NamespaceName {...target} />}{" "}
            is still there:
          </p>
          <Failure error={error} />
        </div>
      ))}
      {phase === "ended" ? (
        <CloseButton close={close} />
      ) : (
        <div class="action-buttons">
          <button type="button" onClick={stop}>
            Stop
          </button>
        </div>
      )}
    </div>
  );
}
