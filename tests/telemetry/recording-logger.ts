import type { Logger } from "../../src/index.js";

/** A logged line. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A logger that records its lines. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[] = [];
  #onLine: () => void = () => undefined;

  debug(message: string, fields: Record<string, unknown>): void {
    this.#record("debug", message, fields);
  }
  info(message: string, fields: Record<string, unknown>): void {
    this.#record("info", message, fields);
  }
  warn(message: string, fields: Record<string, unknown>): void {
    this.#record("warn", message, fields);
  }
  error(message: string, fields: Record<string, unknown>): void {
    this.#record("error", message, fields);
  }

  at(level: string): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  /** Waits for a line with this message. */
  async until(message: string): Promise<LogLine> {
    for (;;) {
      const line = this.lines.find((recorded) => recorded.message === message);
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => (this.#onLine = resolve));
    }
  }

  #record(level: string, message: string, fields: Record<string, unknown>): void {
    this.lines.push({ level, message, fields });
    this.#onLine();
  }
}
