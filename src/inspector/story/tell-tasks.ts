import { readableWrite } from "../stored-values/readable-values.js";
import { groupBy } from "../../db/group-by.js";
import type {
  MessageKey,
  StoryTask,
  StoryTasks,
  StoryTool,
  StoryError,
  StoryQuestion,
} from "../api/story.js";
import type { NamespacePlace } from "../api/places.js";
import { isHandoff } from "../states/handoffs.js";
import type { CallRun } from "../calls/call-definition.js";
import type { StoryWriteRow } from "../queries/get-story-writes.js";
import type { DescribedTask } from "../values/next-nodes.js";
import { CONTROL_CHANNELS, nodeByName, NULL_TASK_ID } from "../values/trigger-channels.js";
import { TextRoom, cutText } from "../values/cut-text.js";
import { messageKeyOf, messagesIn, type Tokens, tokensIn, toolsIn } from "./written-messages.js";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { ValuePath } from "../api/value-node.js";
import { formOf, ASKING, questionIn, readInterrupts } from "../values/question-form.js";
import { briefJson } from "../values/readable-json.js";
import { readOwn } from "../values/read-property.js";
import { eachPart } from "../values/value-parts.js";

const MAX_TASKS = 200;
const MAX_MESSAGES = 50;
const MAX_TOOLS = 50;

const FOR_ENGINE = /^(?:__|branch:|join:)/;

/** Tells what tasks have done. It tells the older steps first, so that a message counts for the step that wrote it first. */
export class TaskTeller {
  readonly #run: CallRun;
  readonly #place: NamespacePlace;
  readonly #room = new TextRoom();
  readonly #messageIds = new Set<string>();

  constructor(run: CallRun, place: NamespacePlace) {
    this.#run = run;
    this.#place = place;
  }

  /** Tells what the tasks beside a checkpoint have done, by their writes. */
  async tell(tasks: readonly DescribedTask[], rows: readonly StoryWriteRow[]): Promise<StoryTasks> {
    const byTask = groupBy(rows, (row) => row.task_id);
    const isAnswered = (byTask.get(NULL_TASK_ID) ?? []).some(({ channel }) => channel === "__resume__");
    const output = new Output(this.#messageIds);
    const told: StoryTask[] = [];
    for (const task of tasks) {
      const written = task.taskIds.map((id) => byTask.get(id)).find((writes) => writes !== undefined) ?? [];
      told.push(await this.#tellTask(task, written, { isAnswered, output }));
    }
    for (const row of byTask.get(NULL_TASK_ID) ?? []) await this.#addOutput(row, output);
    const notable = told.filter(({ error, questions }) => error !== undefined || questions.length > 0);
    const shown = told.length <= MAX_TASKS ? told : [...new Set([...notable, ...told])].slice(0, MAX_TASKS);
    return { tasks: shown, omitted: told.length - shown.length, ...output.summary() };
  }

  async #tellTask(
    { node, taskIds }: DescribedTask,
    rows: readonly StoryWriteRow[],
    { isAnswered, output }: { readonly isAnswered: boolean; readonly output: Output },
  ): Promise<StoryTask> {
    let error: StoryTask["error"];
    let handedOver = false;
    let questions: StoryTask["questions"] = [];
    for (const row of rows) {
      const { task_id: taskId, idx, channel } = row;
      const write = { taskId, idx };
      if (channel === "__error__") {
        const read = await this.#valueOf(row);
        if (isHandoff(this.#place.namespace, read?.value)) handedOver = true;
        else error = read === undefined ? unreadable(row) : describeError(read.value, write, this.#room);
      } else if (channel === "__interrupt__") {
        const read = await this.#valueOf(row);
        const asked =
          read === undefined ? [unreadable(row)] : describeQuestions(read.value, write, this.#room);
        questions = [...questions, ...asked];
      } else await this.#addOutput(row, output);
    }
    const leadsTo = rows.flatMap(({ channel }) => nodeByName(channel) ?? []);
    return {
      ...(node !== undefined && { node }),
      taskIds,
      isDone: handedOver || rows.some(({ channel }) => !CONTROL_CHANNELS.includes(channel)),
      isAnswered:
        questions.length > 0 && (isAnswered || rows.some(({ channel }) => channel === "__resume__")),
      ...(error !== undefined && { error }),
      ...(handedOver && { handedOver }),
      ...(leadsTo.length > 0 && { leadsTo }),
      questions,
    };
  }

  /** Leaves out what only starts nodes, which is never read. */
  async #addOutput(row: StoryWriteRow, output: Output): Promise<void> {
    if (row.is_read || !FOR_ENGINE.test(row.channel)) output.add(await this.#valueOf(row));
  }

  /** Returns `undefined` for a value that was not read, or that this saver can't read. It must not hide the others. */
  async #valueOf(row: StoryWriteRow): Promise<{ readonly value: unknown } | undefined> {
    return row.is_read ? readableWrite(this.#run, this.#place, row) : undefined;
  }
}

/** Stands for a text that was not read. The page of the checkpoint says why. */
function unreadable({ task_id: taskId, idx, bytes }: StoryWriteRow) {
  return { text: `(${bytes} bytes that were not read)`, isCut: false, taskId, idx };
}

/** What the tasks of a step have written besides errors and questions. */
class Output {
  readonly #known: Set<string>;
  readonly #tools: StoryTool[] = [];
  readonly #messages: MessageKey[] = [];
  #messageCount = 0;
  #tokens: Tokens | undefined;
  #isPartial = false;

  /** @param known - The ids of messages that older steps have written. */
  constructor(known: Set<string>) {
    this.#known = known;
  }

  /** Adds a write; `undefined` is one that was not read. */
  add(written: { readonly value: unknown } | undefined): void {
    if (written === undefined) {
      this.#isPartial = true;
      return;
    }
    for (const message of messagesIn(written.value)) {
      const key = messageKeyOf(message);
      if (key.id !== undefined && this.#known.has(key.id)) continue;
      if (key.id !== undefined) this.#known.add(key.id);
      if (message.role === "remove") continue;
      this.#messageCount += 1;
      if (this.#messages.length < MAX_MESSAGES) this.#messages.push(key);
      const room = MAX_TOOLS - this.#tools.length;
      if (room > 0) this.#tools.push(...toolsIn(message, room));
      const tokens = tokensIn(message);
      if (tokens === undefined) continue;
      const { input = 0, output = 0 } = this.#tokens ?? {};
      this.#tokens = { input: input + tokens.input, output: output + tokens.output };
    }
  }

  summary(): Omit<StoryTasks, "tasks" | "omitted"> {
    return {
      ...{ tools: this.#tools, messages: this.#messages, messageCount: this.#messageCount },
      ...(this.#tokens !== undefined && { tokens: this.#tokens }),
      isPartial: this.#isPartial,
    };
  }
}

/** The most characters of a message or a question. */
const MAX_TEXT = 8_000;
const MAX_NAME = 100;
const MAX_QUESTIONS = 20;

/** The write that a text is from. */
interface Write {
  readonly taskId: string;
  readonly idx: number;
}

/** Describes the error of a task: JavaScript stores its name and its message, and Python a text such as `ValueError('no')`. */
function describeError(value: unknown, write: Write, room: TextRoom): StoryError {
  const name = isObject(value) ? readOwn(value, "name") : undefined;
  const found = isObject(value) ? fieldOf(value, ["message"]) : undefined;
  const error = found ?? { text: typeof value === "string" ? value : briefJson(value, MAX_TEXT), path: [] };
  return {
    ...(typeof name === "string" && { name: cutText(name, MAX_NAME).text }),
    ...room.cut(error.text, MAX_TEXT),
    ...write,
    ...((found !== undefined || typeof value === "string") && { path: error.path }),
  };
}

/** Describes the questions of a task. Each is an interrupt with a value, or the value itself. */
function describeQuestions(value: unknown, write: Write, room: TextRoom): StoryQuestion[] {
  return readInterrupts(value)
    .slice(0, MAX_QUESTIONS)
    .map(({ id, value: asked, path }) => ({
      ...(id !== undefined && { id: cutText(id, MAX_NAME).text }),
      ...describeQuestion(asked, { ...write, path }, room),
    }));
}

function describeQuestion(
  value: unknown,
  { path, ...write }: Write & { readonly path: ValuePath },
  room: TextRoom,
): StoryQuestion {
  if (typeof value === "string") return { ...room.cut(value, MAX_TEXT), ...write, path };
  const found = isObject(value) && !isArray(value) ? fieldOf(value, ASKING) : undefined;
  if (found === undefined || !isObject(value)) {
    const text = questionIn(value);
    const json = briefJson(value, MAX_TEXT);
    if (text === undefined) return { ...room.cut(json, MAX_TEXT), ...write };
    const isReview = formOf({ value, schema: undefined }).kind === "decisions";
    return {
      ...room.cut(text, MAX_TEXT),
      ...write,
      details: room.cut(json, MAX_TEXT).text,
      ...(isReview && { isReview }),
    };
  }
  const others = [...eachPart(value)].filter(({ step }) => step !== found.path[0]);
  const details = Object.fromEntries(others.map(({ label, value: part }) => [label, part]));
  return {
    ...room.cut(found.text, MAX_TEXT),
    ...{ ...write, path: [...path, ...found.path] },
    ...(others.length > 0 && { details: detailsText(details, room) }),
  };
}

function detailsText(details: object, room: TextRoom): string {
  const { text, isCut } = room.cut(briefJson(details, MAX_TEXT), MAX_TEXT);
  return isCut ? `${text}…` : text;
}

/** The first of these fields that has a text. */
function fieldOf(
  value: object,
  names: readonly string[],
): { readonly text: string; readonly path: ValuePath } | undefined {
  for (const name of names) {
    const part = partNamed(value, name);
    if (typeof part?.value === "string" && part.value !== "") return { text: part.value, path: [part.step] };
  }
  return undefined;
}

function partNamed(
  value: object,
  name: string,
): { readonly step: number; readonly value: unknown } | undefined {
  for (const part of eachPart(value)) {
    if (part.label === name) return part;
  }
  return undefined;
}
