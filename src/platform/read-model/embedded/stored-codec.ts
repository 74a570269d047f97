import { type Document } from '../../../../projections/projection';
import { type Position } from '../../event-store/event-store.port';
import { type Stored } from '../read-model.port';

/**
 * A stored document is the JSON text `["<position>",<document>]`. JSON keeps key order, every number and keys such as
 * `__proto__` exactly; the position comes first so that the guard can read it without parsing the document.
 */
export const encodeStored = (document: Document, position: Position): string =>
  `["${position}",${JSON.stringify(document)}]`;

export const positionIn = (text: string): Position => BigInt(text.slice(2, text.indexOf('"', 2)));

export const decodeDocument = (text: string): Document => (JSON.parse(text) as [string, Document])[1];

export const decodeStored = (text: string): Stored => ({ document: decodeDocument(text), position: positionIn(text) });
