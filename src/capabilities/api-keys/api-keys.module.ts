import { Module } from '@nestjs/common';
import { ApiKeysController } from './api-keys.controller';
import { ChangeApiKeyHandler, CreateApiKeyHandler, NoteApiKeyUseHandler } from './api-keys.handlers';

@Module({
  controllers: [ApiKeysController],
  providers: [ChangeApiKeyHandler, CreateApiKeyHandler, NoteApiKeyUseHandler],
})
export class ApiKeysModule {}
