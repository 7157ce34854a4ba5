#ifndef OX_MCP_GUIDE_H
#define OX_MCP_GUIDE_H

/* What a model is told: with the list of tools, and as the prompt `oxide`, which says it all. */
extern const char mcp_instructions[];
extern const char mcp_guide[];

#endif
