import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type INestApplication, Injectable } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { SessionCookie } from '../../access/session-cookie';
import { type JsonSchema, list, object, text } from '../../http/input/checks';
import { isAgentSurface } from '../../http/server/envelope';
import { swaggerWithDescriptions } from './described';
import { addComponents } from './openapi-components';
import { addExamples } from './openapi-examples';
import { addHeaders } from './openapi-headers';
import { addPathParameters } from './openapi-path-parameters';
import { addCommonAnswers } from './openapi-common-answers';
import { CallCounter } from '../../http/server/call-counter';
import { ErrorFilter } from '../../http/server/error.filter';
import { type SvcRequest } from '../../http/server/request-context';

/** The OpenAPI document as served. Built once, on first use, so that it does not delay the start. */
@Injectable()
export class OpenApiDocument {
  private make: () => Promise<OpenAPIObject> = () => Promise.reject(new Error('the API has not been described yet'));
  private made: Promise<OpenAPIObject> | undefined;
  private asBytes: Promise<Buffer> | undefined;
  private inGzip: Promise<Buffer> | undefined;

  describedBy(make: () => Promise<OpenAPIObject>): void {
    this.make = make;
  }

  get document(): Promise<OpenAPIObject> {
    this.made ??= this.make();
    return this.made;
  }

  get bytes(): Promise<Buffer> {
    this.asBytes ??= this.document.then((document) => Buffer.from(JSON.stringify(document)));
    return this.asBytes;
  }

  get zipped(): Promise<Buffer> {
    this.inGzip ??= this.bytes.then((bytes) => promisify(gzip)(bytes));
    return this.inGzip;
  }
}

const issue = object({ code: text({ max: 80 }), field: text({ min: 0, max: 500 }), message: text({ max: 1000 }) });

const failure: JsonSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        request_id: { type: 'string', minLength: 1, maxLength: 160 },
        field: { type: 'string' },
        issues: list(issue, 1000, 1).schema,
        details: { type: 'object', additionalProperties: true },
      },
      required: ['code', 'message', 'request_id'],
    },
  },
  required: ['ok', 'error'],
};

/** The same for the agent-payment surface. */
const agentFailure: JsonSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean', const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: {
          type: 'object',
          properties: { field: { type: 'string' }, issues: list(issue, 1000, 1).schema },
          additionalProperties: true,
        },
      },
      required: ['code', 'message', 'details'],
    },
    request_id: { type: 'string', minLength: 1, maxLength: 160 },
    timestamp: { type: 'string', format: 'date-time' },
  },
  required: ['success', 'error', 'request_id', 'timestamp'],
};

/** The page loads only its own scripts and styles. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The page and the files that belong to it, which are those of swagger-ui, but for the licence that it leaves out. */
export function docsPaths(): readonly string[] {
  const swagger = createRequire(require.resolve('@nestjs/swagger'));
  const files = readdirSync(dirname(swagger.resolve('swagger-ui-dist/package.json'))).filter(
    (name) => name !== 'LICENSE',
  );
  return ['/docs', '/docs/', ...[...files, 'swagger-ui-init.js'].map((name) => `/docs/${name}`)];
}

/** Serves the document generated from the routes' decorators at /openapi.json, and as a page at /docs. */
export function describeApi(app: INestApplication, baseUrl: string, webhooks: object): void {
  const openApi = app.get(OpenApiDocument);
  openApi.describedBy(() => documentOf(app, baseUrl, webhooks));
  const calls = app.get(CallCounter);
  app.use('/docs', (request: Request, response: Response, next: NextFunction) => {
    // Rate-limited, because the page includes the whole document.
    const refusal = calls.count('anonymous', request as SvcRequest, response);
    if (refusal !== undefined) return app.get(ErrorFilter).answer(refusal, request as SvcRequest, response);
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    next();
  });
  app.use(docsPage(openApi));
}

/** Made when it is first requested, like the document. */
function docsPage(openApi: OpenApiDocument): RequestHandler {
  let made: Promise<Router> | undefined;
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !/^\/docs(?:\/|$)/.test(request.path)) return next();
    made ??= makeDocsPage(openApi);
    made.then((page) => page(request, response, next)).catch(next);
  };
}

async function makeDocsPage(openApi: OpenApiDocument): Promise<Router> {
  const { SwaggerModule } = await swaggerWithDescriptions();
  // The application itself takes no more routes once it has started: its answer to unknown paths stands before them.
  const page = Router({ caseSensitive: true, strict: true });
  const adapter = new ExpressAdapter(page);
  const app = { getHttpAdapter: () => adapter, useStaticAssets: adapter.useStaticAssets.bind(adapter) };
  const document = await openApi.document;
  SwaggerModule.setup('docs', app as unknown as INestApplication, document, { raw: false, customSiteTitle: 'svc API' });
  return page;
}

async function documentOf(app: INestApplication, baseUrl: string, webhooks: object): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await swaggerWithDescriptions();
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('svc: non-custodial payment requests')
    .setDescription('An agent asks, a person approves in their own wallet, everyone reads what happened.')
    .setVersion('1')
    // Relative first, so that the page works under any host name: its content policy allows calls to its own origin
    // only.
    .addServer(new URL(baseUrl).pathname, 'Where this document was read')
    .addServer(baseUrl, 'As the operator named it')
    .addSecurity('device', {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'Authorization: Device <device_id>:<token>, or the fields device_id and token in body or query.',
    })
    .addSecurity('session', {
      type: 'apiKey',
      in: 'cookie',
      name: app.get(SessionCookie).name,
      description: 'Every change also needs the CSRF proof as X-CSRF-Token.',
    })
    .addSecurity('session_token', {
      type: 'http',
      scheme: 'bearer',
      description: 'The same session with delivery bearer, svc_ms_…; it needs no CSRF proof.',
    })
    .addSecurity('api_key', {
      type: 'apiKey',
      in: 'header',
      name: 'x-svc-api-key',
      description: 'A project API key, svc_sk_…',
    })
    .addSecurity('agent', { type: 'http', scheme: 'bearer', description: 'The short agent token, svc_at_…' })
    .addSecurity('claim', { type: 'http', scheme: 'bearer', description: 'The claim token, svc_cl_…' })
    .addSecurity('connection', { type: 'http', scheme: 'bearer', description: 'The connection token, svc_ct_…' });
  const document = SwaggerModule.createDocument(app, builder.build());
  const schemas = { ...document.components?.schemas, Failure: failure, AgentFailure: agentFailure };
  document.components = { ...document.components, schemas };
  addPathParameters(document);
  addCommonAnswers(document, isAgentSurface);
  addHeaders(document);
  Object.assign(document, { webhooks });
  addComponents(document);
  addExamples(document);
  return document;
}
