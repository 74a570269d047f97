import { Body, Post } from '@nestjs/common';
import { text } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';
import { Endpoint, type EndpointParts } from './endpoint.decorator';

class Named {
  @Field(text({ max: 5 }))
  name!: string;
}

const parts = (more: Partial<EndpointParts> = {}): EndpointParts => ({
  summary: 'Name something',
  credential: 'none',
  body: Named,
  answer: {},
  ...more,
});

const routeOf = (type: 'declared' | 'as it came', more: Partial<EndpointParts> = {}): (() => unknown) => {
  if (type === 'declared')
    return () => {
      class Controller {
        @Post()
        @Endpoint(parts(more))
        name(@Body() input: Named) {
          return input;
        }
      }
      return Controller;
    };
  return () => {
    class Controller {
      @Post()
      @Endpoint(parts(more))
      name(@Body() body: Record<string, unknown>) {
        return body;
      }
    }
    return Controller;
  };
};

describe('a route with a body', () => {
  it('reads it: what is wrong with the query is reported with it, and would be lost', () => {
    expect(() => {
      class Controller {
        @Post()
        @Endpoint(parts())
        name() {
          return {};
        }
      }
      return Controller;
    }).toThrow('Controller.name: who reads the body');
  });

  it('leaves it to the pipe, or declares that it reads it itself', () => {
    expect(routeOf('declared')).not.toThrow();
    expect(routeOf('as it came', { readsBodyItself: true })).not.toThrow();
  });

  it('must not be ambiguous about who reads it: it would be unchecked, or checked twice', () => {
    expect(routeOf('as it came')).toThrow('Controller.name: who reads the body');
    expect(routeOf('declared', { readsBodyItself: true })).toThrow('Controller.name: who reads the body');
  });
});
