import { type Express, type Request } from 'express';

const PARSED = Symbol('query');

type Query = Request['query'];

/**
 * Express parses the query again each time it is asked for. Here that happens once for each request: a long one costs
 * milliseconds, and what is noted about it stays with it.
 */
export function parseQueryOnce(app: Express, parse: (text: string) => Query): void {
  app.set('query parser', parse);
  const express = Object.getPrototypeOf(app.request) as Request;
  Object.defineProperty(app.request, 'query', {
    configurable: true,
    get(this: Request & { [PARSED]?: Query }): Query {
      return (this[PARSED] ??= Reflect.get(express, 'query', this));
    },
  });
}
