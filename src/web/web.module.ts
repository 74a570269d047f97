import { Module } from '@nestjs/common';
import { StartController } from './start.controller';

/** The way in. The pages themselves are files, which servePages hands out before any route is looked for. */
@Module({ controllers: [StartController] })
export class WebModule {}
