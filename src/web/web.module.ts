import { Module } from '@nestjs/common';
import { StartController } from './start.controller';

/** The entry point. The pages themselves are files, which servePages serves before any route is matched. */
@Module({ controllers: [StartController] })
export class WebModule {}
