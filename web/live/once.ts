import { useState } from 'react';
import { SvcError, isPassing } from '../../sdk/src/errors.ts';
import { newKey } from '../../sdk/src/transport.ts';

type Keyed = Readonly<{ idempotencyKey: string }>;

/**
 * What a form makes, it makes once: sent again after a lost answer, it is the same call under the same key. Other input
 * is another call, and so is the same input after an answer.
 */
export class Once {
  #held: Readonly<{ same: string; input: object; key: string }> | undefined;

  /** `same` is what the person put in, where the input has more, such as the time of sending. */
  async send<Input extends object, Made>(
    input: Input,
    make: (input: Input, options: Keyed) => Promise<Made>,
    same: object = input,
  ): Promise<Made> {
    const typed = JSON.stringify(same);
    const held = this.#held?.same === typed ? this.#held : { same: typed, input, key: newKey() };
    this.#held = held;
    try {
      const made = await make(held.input as Input, { idempotencyKey: held.key });
      this.#held = undefined;
      return made;
    } catch (error) {
      if (isAnswer(error)) this.#held = undefined;
      throw error;
    }
  }
}

/** The service has looked at the input. A refusal of the session says nothing of what an earlier attempt has made. */
const isAnswer = (error: unknown): boolean =>
  error instanceof SvcError && !isPassing(error) && error.status !== 401 && error.status !== 403;

/** One for as long as the form is there. */
export const useOnce = (): Once => useState(() => new Once())[0];
